import type { AdapterPayload } from 'oidc-provider';
import { ApplicationRow } from '../../store/authority/application.row.js';
import type { AuthorityStore } from '../../store/authority/authority-store.js';
import { isIdentifier } from './identifier.js';
import { ReadOnlyAdapter } from './read-only.adapter.js';

/** Applications as the library sees them: confidential clients that get codes and refresh tokens, and nothing else. */
export class ClientAdapter extends ReadOnlyAdapter {
  constructor(private readonly store: AuthorityStore) {
    super();
  }

  /** Undefined for an application that is unknown, suspended or without a secret that is still good. */
  override async find(appId: string): Promise<AdapterPayload | undefined> {
    if (!isIdentifier(appId)) return undefined;
    const application = await this.store.db.findOneBy(ApplicationRow, { appId, state: 'active' });
    if (!application) return undefined;
    const secrets = await this.store.db.query<{ secret_hash: Buffer }[]>(
      `SELECT secret_hash FROM authority.client_secret
       WHERE app_id = $1 AND (expires_at IS NULL OR expires_at > now()) ORDER BY secret_hash`,
      [appId],
    );
    if (secrets.length === 0) return undefined;
    return {
      client_id: application.appId,
      client_name: application.name,
      // Not the secret, which is kept nowhere: what `compareClientSecret` compares with (see client-secret.ts).
      client_secret: secrets.map((row) => row.secret_hash.toString('base64url')).join('.'),
      redirect_uris: application.redirectUris,
      scope: application.scopes.join(' '),
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'client_secret_basic',
      subject_type: 'pairwise',
      // The library wants one where redirect URIs are on several hosts. It is never fetched: a sector is one application.
      sector_identifier_uri: `https://sector.invalid/${application.appId}`,
    };
  }
}

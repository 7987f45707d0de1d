import { Provider } from 'oidc-provider';
import type { AdapterPayload } from 'oidc-provider';
import type { AuthorityStore } from '../../../base/store/authority/authority-store.js';
import { TokenRequestUnitOfWork } from './token-request-unit-of-work.js';
import { isIdentifier } from './identifier.js';
import { ReadOnlyAdapter } from './read-only.adapter.js';
import { findClient } from './statements.js';
import type { FoundClient } from './statements.js';

export class ClientAdapter extends ReadOnlyAdapter {
  constructor(private readonly store: AuthorityStore) {
    super();
  }

  /** Returns undefined for an application that is unknown, suspended or without a valid secret. */
  override async find(appId: string): Promise<AdapterPayload | undefined> {
    const client = TokenRequestUnitOfWork.of(Provider.ctx?.req)?.client(appId) ?? (await this.load(appId));
    if (!client || client.secretHashes.length === 0) return undefined;
    return {
      client_id: client.appId,
      client_name: client.name,
      client_secret: client.secretHashes.join('.'),
      redirect_uris: [...client.redirectUris],
      post_logout_redirect_uris: [...client.postLogoutRedirectUris],
      scope: client.scopes.join(' '),
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'client_secret_basic',
      subject_type: 'pairwise',
      // The library requires it for redirect URIs on several hosts, and never fetches it: a sector is one application.
      sector_identifier_uri: `https://sector.invalid/${client.appId}`,
    };
  }

  private async load(appId: string): Promise<FoundClient | undefined> {
    if (!isIdentifier(appId)) return undefined;
    const [row] = await this.store.rows<{ client: FoundClient | null }>(findClient, [appId]);
    return row?.client ?? undefined;
  }
}

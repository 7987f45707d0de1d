import type { CommandBus } from '@nestjs/cqrs';
import { Provider } from 'oidc-provider';
import type { AdapterPayload, KoaContextWithOIDC } from 'oidc-provider';
import type { Ids } from '../../commands/ambient.js';
import { RevokeGrant } from '../../commands/revoke-grant.js';
import type { Ending } from '../../domain/grant/grant.js';
import { AppGrantRow } from '../../store/authority/app-grant.row.js';
import type { AuthorityStore } from '../../store/authority/authority-store.js';
import { ReadOnlyAdapter } from './read-only.adapter.js';

/**
 * Grants as the library sees them: read from where the log's facts are projected, ended by a command. Nothing else can
 * be done to one, since a grant is immutable.
 */
export class GrantAdapter extends ReadOnlyAdapter {
  constructor(
    private readonly store: AuthorityStore,
    private readonly commands: CommandBus,
    private readonly ids: Ids,
  ) {
    super();
  }

  override async find(grantId: string): Promise<AdapterPayload | undefined> {
    const row = await this.store.db.findOneBy(AppGrantRow, { grantId });
    if (!row || row.revokedAt !== null) return undefined;
    return {
      jti: row.grantId,
      kind: 'Grant',
      iat: Math.floor(row.issuedAt / 1000),
      accountId: row.actorId,
      clientId: row.appId,
      openid: { scope: row.scopes.join(' ') },
    };
  }

  /** Called where a client gave a token back, and where a code or refresh token was used twice (RFC 9700, section 4.14). */
  override async destroy(grantId: string): Promise<void> {
    await this.commands.execute(
      new RevokeGrant(grantId, endingOf(Provider.ctx), { requestId: this.ids.uuid(), grantId }),
    );
  }
}

function endingOf(ctx: KoaContextWithOIDC | undefined): Ending {
  if (ctx?.oidc.route === 'revocation') return { cause: 'client' };
  const refreshes = ctx?.oidc.params?.['grant_type'] === 'refresh_token';
  return { cause: 'reuse', of: refreshes ? 'refresh_token' : 'authorization_code' };
}

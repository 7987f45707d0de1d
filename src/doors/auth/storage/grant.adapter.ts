import type { CommandBus } from '@nestjs/cqrs';
import { Provider } from 'oidc-provider';
import type { AdapterPayload, KoaContextWithOIDC } from 'oidc-provider';
import { RevokeGrant } from '../../../commands/grant/grants.js';
import type { RevocationCause } from '../../../domain/grant/grant.js';
import { Refusal } from '../../../domain/refusal.js';
import type { AuthorityStore } from '../../../base/store/authority/authority-store.js';
import { protocolMetadata } from '../rules/request-context.js';
import { TokenRequestUnitOfWork } from './token-request-unit-of-work.js';
import { ReadOnlyAdapter } from './read-only.adapter.js';
import { destroyRecordsOfGrant, findGrant } from './statements.js';
import type { FoundGrant } from './statements.js';

export class GrantAdapter extends ReadOnlyAdapter {
  constructor(
    private readonly store: AuthorityStore,
    private readonly commands: CommandBus,
  ) {
    super();
  }

  /** Returns undefined unless the grant, its actor and its application are all active. */
  override async find(grantId: string): Promise<AdapterPayload | undefined> {
    const grant = TokenRequestUnitOfWork.of(Provider.ctx?.req)?.grant(grantId) ?? (await this.load(grantId));
    if (!grant) return undefined;
    return {
      jti: grant.grantId,
      kind: 'Grant',
      iat: Math.floor(grant.issuedAt / 1000),
      accountId: grant.actorId,
      clientId: grant.appId,
      openid: { scope: grant.scopes.join(' ') },
    };
  }

  /**
   * Ends a grant. The library calls this when a client revokes a token, and when a code or refresh token is reused (RFC
   * 9700, section 4.14).
   */
  override async destroy(grantId: string): Promise<void> {
    const { ctx } = Provider;
    if (!ctx)
      throw new Error('a grant can be ended only while the library handles a request, which names the cause');
    const ending = endingOf(ctx);
    try {
      await this.commands.execute(
        new RevokeGrant(grantId, ending, { ...protocolMetadata(ctx.req), grantId }),
      );
    } catch (error) {
      const isLost = error instanceof Refusal && error.code === 'not_found';
      if (!isLost || ending.cause !== 'client') throw error;
      // The log lost the grant in a recovery: only its tokens remain to delete (RFC 7009, section 2.2).
      await this.store.rows(destroyRecordsOfGrant, [grantId]);
    }
  }

  private async load(grantId: string): Promise<FoundGrant | undefined> {
    const [row] = await this.store.rows<{ live: FoundGrant | null }>(findGrant, [grantId]);
    return row?.live ?? undefined;
  }
}

function endingOf({ oidc }: KoaContextWithOIDC): RevocationCause {
  if (oidc.route === 'revocation') return { cause: 'client' };
  const isRefresh = oidc.params?.['grant_type'] === 'refresh_token';
  return { cause: 'reuse', of: isRefresh ? 'refresh_token' : 'authorization_code' };
}

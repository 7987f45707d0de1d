import type { CommandBus } from '@nestjs/cqrs';
import { Provider } from 'oidc-provider';
import type { AdapterPayload, KoaContextWithOIDC } from 'oidc-provider';
import { RevokeGrant } from '../../commands/grant/revoke-grant.js';
import type { Ending } from '../../domain/grant/grant.js';
import { Refusal } from '../../domain/refusal.js';
import type { AuthorityStore } from '../../store/authority/authority-store.js';
import { metadataOf } from '../protocol/request-facts.js';
import { TokenRequestUnitOfWork } from './token-request-unit-of-work.js';
import { ReadOnlyAdapter } from './read-only.adapter.js';
import { destroyRecordsOfGrant, findGrant } from './statements.js';
import type { FoundGrant } from './statements.js';

/**
 * Grants as the library sees them: read from where the log's facts are projected, ended by a command. Nothing else can
 * be done to one, since a grant is immutable.
 */
export class GrantAdapter extends ReadOnlyAdapter {
  constructor(
    private readonly store: AuthorityStore,
    private readonly commands: CommandBus,
  ) {
    super();
  }

  /** Undefined for one that gives no authority now: it, its actor or its application has ended or is suspended. */
  override async find(grantId: string): Promise<AdapterPayload | undefined> {
    const grant = TokenRequestUnitOfWork.of(Provider.ctx?.req)?.grant(grantId) ?? (await this.ask(grantId));
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

  /** Called where a client gave a token back, and where a code or refresh token was used twice (RFC 9700, section 4.14). */
  override async destroy(grantId: string): Promise<void> {
    const { ctx } = Provider;
    if (!ctx) throw new Error('only a request ends a grant here');
    const ending = endingOf(ctx);
    try {
      await this.commands.execute(new RevokeGrant(grantId, ending, { ...metadataOf(ctx.req), grantId }));
    } catch (error) {
      const isLost = error instanceof Refusal && error.code === 'not_found';
      if (!isLost || ending.cause !== 'client') throw error;
      // The log lost it in a recovery, and there is nothing to end but its tokens (RFC 7009, section 2.2).
      await this.store.rows(destroyRecordsOfGrant, [grantId]);
    }
  }

  private async ask(grantId: string): Promise<FoundGrant | undefined> {
    const [row] = await this.store.rows<{ live: FoundGrant | null }>(findGrant, [grantId]);
    return row?.live ?? undefined;
  }
}

function endingOf({ oidc }: KoaContextWithOIDC): Ending {
  if (oidc.route === 'revocation') return { cause: 'client' };
  const refreshes = oidc.params?.['grant_type'] === 'refresh_token';
  return { cause: 'reuse', of: refreshes ? 'refresh_token' : 'authorization_code' };
}

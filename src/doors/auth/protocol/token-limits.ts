import type { KoaContextWithOIDC } from 'oidc-provider';
import type { Limit } from '../../../base/config/limit-settings.js';
import { apiWindowName, callerLimitKey } from '../../../server/limits/caller-budget.js';
import type { QuotaState } from '../../../server/limits/rate-limit-fields.js';
import { LimitsUnavailable, SharedWindow } from '../../../server/limits/shared-window.js';
import type { AuthorityStore } from '../../../base/store/authority/authority-store.js';
import { enforceQuota } from './enforce-quota.js';
import { Fault, toFault } from '../rules/faults.js';
import { oidcContext } from './middleware.js';
import type { Middleware } from './middleware.js';
import { routes } from '../rules/routes.js';

export type TokenQuotas = { readonly reads: Limit; readonly refreshes: Limit } | 'off';

/** Limits of live tokens at the authorization server (docs/api-decisions.md, "The authorization server's own clients"). */
export class TokenLimits {
  private readonly windows: { readonly reads: SharedWindow; readonly refreshes: SharedWindow } | undefined;

  /** @param store counts a refresh in the transaction of the token request: a rollback undoes the count. */
  constructor(store: AuthorityStore, secret: Buffer, quotas: TokenQuotas) {
    if (quotas === 'off') return;
    const common = { pool: store, secret };
    this.windows = {
      reads: new SharedWindow({
        ...common,
        name: apiWindowName('reads'),
        limit: quotas.reads,
        isFinal: true,
      }),
      // Not final: this process must not remember points of a transaction that is rolled back.
      refreshes: new SharedWindow({ ...common, name: 'refreshes', limit: quotas.refreshes, isFinal: false }),
    };
  }

  /** Counts userinfo as a read of the token's application and actor. @throws {Fault} as {@link takeRefresh} */
  async takeUserinfo(ctx: KoaContextWithOIDC): Promise<void> {
    const { clientId: appId, accountId: actorId } = ctx.oidc.entities.AccessToken ?? {};
    if (appId === undefined || actorId === undefined) return;
    await this.take(ctx, 'reads', callerLimitKey({ appId, actorId }));
  }

  /**
   * Counts a refresh of the grant, and sets the rate-limit headers. @throws {Fault} `pilot_rate_limited`,
   * `pilot_limits_unavailable`
   */
  async takeRefresh(ctx: KoaContextWithOIDC, grantId: string): Promise<void> {
    await this.take(ctx, 'refreshes', grantId);
  }

  private async take(ctx: KoaContextWithOIDC, name: 'reads' | 'refreshes', key: string): Promise<void> {
    const window = this.windows?.[name];
    if (!window) return;
    const quota = { policy: { name, limit: window.limit }, consumed: await consume(window, key) };
    enforceQuota(ctx.res, quota, 'This limit is used up');
  }
}

/** Counts each userinfo request with a live token, also of a suspended actor or without the scope. */
export function limitUserinfo(limits: TokenLimits): Middleware {
  return async (context, next) => {
    await next();
    const ctx = oidcContext(context);
    if (ctx.path === routes.userinfo && ctx.status !== 401 && ctx.status < 500)
      await limits.takeUserinfo(ctx);
  };
}

async function consume(window: SharedWindow, key: string): Promise<QuotaState['consumed']> {
  try {
    return await window.consume(key);
  } catch (error) {
    if (!(error instanceof LimitsUnavailable)) throw error;
    // Without the database the request could not be answered either.
    if (!error.isServerAvailable) throw toFault(error.cause);
    throw new Fault(
      503,
      'pilot_limits_unavailable',
      'Limits cannot be checked. Please try again in a few seconds.',
      {
        cause: error,
      },
    );
  }
}

import type { Provider } from 'oidc-provider';
import type { AuthorityStore } from '../../store/authority/authority-store.js';
import { routes } from './routes.js';

type Middleware = Parameters<Provider['use']>[0];

const transactional: ReadonlySet<string> = new Set([routes.token, routes.revocation]);

/** Thrown to undo, caught to answer. */
class Undone extends Error {}

/**
 * A token request happens as a whole or not at all: the old refresh token is spent if and only if the new one is kept.
 * The library answers only after this returns, so no client holds a token that was not committed. A refusal commits,
 * since it may have revoked a grant.
 */
export function tokenTransaction(store: AuthorityStore): Middleware {
  return async (ctx, next) => {
    if (!transactional.has(ctx.path)) return next();
    try {
      await store.transaction(async () => {
        await next();
        if (ctx.status >= 500) throw new Undone();
      });
    } catch (error) {
      if (!(error instanceof Undone)) throw error;
    }
  };
}

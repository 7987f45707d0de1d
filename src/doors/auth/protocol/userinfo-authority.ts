import type { AuthorityStore } from '../../../base/store/authority/authority-store.js';
import { Fault, oauthError } from '../rules/faults.js';
import { routes } from '../rules/routes.js';
import { oidcContext } from './middleware.js';
import type { Middleware } from './middleware.js';

/**
 * Answers 403 `social_authority_required` for a valid token of a suspended actor or application
 * (docs/api-decisions.md, "Operations the document implies"). The library finds no such account or client, and would
 * call the token invalid.
 */
export function refuseSuspendedUserinfo(store: AuthorityStore): Middleware {
  return async (context, next) => {
    await next();
    const ctx = oidcContext(context);
    if (ctx.path !== routes.userinfo || ctx.status !== 401) return;
    const token = ctx.oidc.entities.AccessToken;
    if (!token?.grantId || !(await lacksAuthority(store, token.grantId))) return;
    ctx.remove('www-authenticate');
    ctx.status = 403;
    ctx.body = oauthError(
      new Fault(403, 'social_authority_required', 'The account or the application is suspended.'),
    );
  };
}

async function lacksAuthority(store: AuthorityStore, grantId: string): Promise<boolean> {
  const rows = await store.db.query<unknown[]>(
    `SELECT 1 FROM authority.app_grant JOIN authority.account USING (actor_id) JOIN authority.application USING (app_id)
     WHERE grant_id = $1 AND revoked_at IS NULL AND (account.state <> 'active' OR application.state <> 'active')`,
    [grantId],
  );
  return rows.length > 0;
}

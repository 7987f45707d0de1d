import { AUTH_PREFIX } from '../settings.js';
import { oidcContext } from './middleware.js';
import type { Middleware } from './middleware.js';
import { routes } from '../rules/routes.js';

/**
 * Redirects a browser that asks to sign out, but is not signed in, at once to the return address of the application: it
 * needs no confirmation (OpenID Connect RP-Initiated Logout 1.0, section 2). The library would show a form, and store a
 * session for it.
 */
export const skipSignOutConfirmation: Middleware = async (context, next) => {
  await next();
  const ctx = oidcContext(context);
  if (ctx.path !== routes.end_session || ctx.status !== 200) return;
  const { session } = ctx.oidc;
  if (!session || session.accountId !== undefined) return;
  const { postLogoutRedirectUri, state } = session.state ?? {};
  ctx.remove('set-cookie');
  ctx.body = null;
  ctx.status = 303;
  ctx.set('location', addressOf(postLogoutRedirectUri, state));
};

function addressOf(registered: unknown, state: unknown): string {
  if (typeof registered !== 'string') return `${AUTH_PREFIX}${routes.end_session}/success`;
  const url = new URL(registered);
  if (typeof state === 'string') url.searchParams.set('state', state);
  return url.href;
}

import { renderStillSignedIn } from '../pages/sign-out.page.js';
import { requestContextOf } from '../rules/request-context.js';
import { routes } from '../rules/routes.js';
import { oidcContext } from './middleware.js';
import type { Middleware } from './middleware.js';

/**
 * Shows a page of the network to a person who declined to sign out. The library would redirect to the application,
 * which means that the sign-out was done (OpenID Connect RP-Initiated Logout 1.0, section 3).
 */
export function answerDeclinedSignOut(baseUrl: string): Middleware {
  return async (context, next) => {
    await next();
    const ctx = oidcContext(context);
    if (ctx.path !== `${routes.end_session}/confirm` || ctx.status !== 303) return;
    if (requestContextOf(ctx.req).form.get('logout')) return;
    const { origin } = new URL(ctx.response.get('location'), baseUrl);
    ctx.remove('location');
    ctx.status = 200;
    renderStillSignedIn(ctx, origin === baseUrl ? undefined : origin);
  };
}

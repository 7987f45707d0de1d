import { html, Html } from '../../../base/pages/html.js';
import { pageLayout, pageHeaders } from '../../../base/pages/layout.js';
import { postLogoutOrigin } from '../pages/sign-out.page.js';
import { oidcContext } from './middleware.js';
import type { Middleware } from './middleware.js';

/** Replaces the library's script-submitted form by one with a button: no page runs a script, and none may be framed. */
export const scriptlessPages: Middleware = async (ctx, next) => {
  await next();
  if (ctx.type !== 'text/html' || ctx.res.hasHeader('content-security-policy')) return;
  ctx.set(pageHeaders(postLogoutOrigin(oidcContext(ctx))));
  const [, action = '', fields = ''] =
    /<form method="post" action="([^"]*)">(.*?)<noscript>/s.exec(String(ctx.body)) ?? [];
  ctx.body = pageLayout(
    'One more step',
    html`<h1>One more step</h1>
      <form method="post" action="${new Html(action)}">
        ${new Html(fields)}<button class="main" type="submit">Continue</button>
      </form>`,
  );
};

import type { Provider } from 'oidc-provider';

type Middleware = Parameters<Provider['use']>[0];

/** The library's own pages send themselves on by an inline script, or a button without it; nobody may frame them either. */
export const safePages: Middleware = async (ctx, next) => {
  await next();
  if (ctx.type !== 'text/html' || ctx.res.hasHeader('content-security-policy')) return;
  ctx.set({
    'content-security-policy': "base-uri 'none'; frame-ancestors 'none'",
    'referrer-policy': 'same-origin',
    'x-content-type-options': 'nosniff',
  });
};

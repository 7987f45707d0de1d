import type { Middleware } from './middleware.js';

/**
 * Takes back what the library allows pages of other origins (Fetch standard, "CORS protocol"): applications are servers,
 * and no browser has to read an answer of the protocol from elsewhere.
 */
export const noCrossOrigin: Middleware = async (ctx, next) => {
  await next();
  for (const name of Object.keys(ctx.response.headers))
    if (name.startsWith('access-control-')) ctx.remove(name);
};

import type { Middleware } from './middleware.js';

/** Removes the library's CORS headers (Fetch standard, "CORS protocol"): applications are servers, not pages. */
export const removeCorsHeaders: Middleware = async (ctx, next) => {
  await next();
  for (const name of Object.keys(ctx.response.headers))
    if (name.startsWith('access-control-')) ctx.remove(name);
};

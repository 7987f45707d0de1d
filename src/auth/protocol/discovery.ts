import type { Provider } from 'oidc-provider';
import { discoveryPaths } from './routes.js';

type Middleware = Parameters<Provider['use']>[0];

const paths: ReadonlySet<string> = new Set(discoveryPaths);

/** Takes out the member that the library adds and the document does not publish (network-api.md, "Discovery"). */
export const publishedMetadata: Middleware = async (ctx, next) => {
  await next();
  if (!paths.has(ctx.path) || typeof ctx.body !== 'object' || ctx.body === null) return;
  const { claim_types_supported: _unpublished, ...metadata } = ctx.body as Record<string, unknown>;
  ctx.body = metadata;
};

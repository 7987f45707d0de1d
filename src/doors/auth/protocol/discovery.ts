import { identityClaims } from '../rules/claims.js';
import { discoveryPaths } from '../rules/routes.js';
import type { Middleware } from './middleware.js';

const paths: ReadonlySet<string> = new Set(discoveryPaths);

const corrected = { claims_supported: identityClaims, response_modes_supported: ['query'] };

/**
 * Corrects the discovery document: members that the library cannot be configured for, and one that is not published
 * (network-api.md, "Discovery").
 */
export const correctDiscoveryMetadata: Middleware = async (ctx, next) => {
  await next();
  if (!paths.has(ctx.path) || typeof ctx.body !== 'object' || ctx.body === null) return;
  const { claim_types_supported: _unpublished, ...metadata } = ctx.body as Record<string, unknown>;
  ctx.body = { ...metadata, ...corrected };
};

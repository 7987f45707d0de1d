import type { IncomingMessage, ServerResponse } from 'node:http';
import type { KoaContextWithOIDC } from 'oidc-provider';
import type { RefusedCredentials } from '../../../server/limits/refused-credentials.js';
import { credentialHash } from '../../../base/store/authority/credential-hash.js';
import { enforceQuota } from './enforce-quota.js';
import { oidcContext } from './middleware.js';
import type { Middleware } from './middleware.js';
import { requestContextOf } from '../rules/request-context.js';
import { clientAuthenticatedEndpoints, routes } from '../rules/routes.js';

export const requiresCredential = (path: string): boolean =>
  clientAuthenticatedEndpoints.has(path) || path === routes.userinfo;

/**
 * Refuses a request, with the rate-limit headers, if its address has sent too many refused credentials. Other requests
 * pass unchanged.
 * @throws {Fault} `pilot_rate_limited`
 */
export function enforceRefusalLimit(
  refused: RefusedCredentials,
  nearest: string,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  const quota = refused.quotaStateOf(nearest, hashOf(request));
  if (quota) enforceQuota(response, quota, 'Too many credentials from this address were refused');
}

export function countRefusedCredentials(refused: RefusedCredentials): Middleware {
  return async (context, next) => {
    await next();
    const ctx = oidcContext(context);
    if (!requiresCredential(ctx.path)) return;
    if (isAccepted(ctx)) refused.remember(hashOf(ctx.req));
    else if (ctx.status < 500) await refused.count(requestContextOf(ctx.req).address);
  };
}

/** True if the library found the token or authenticated the application, whatever else the request lacks. */
function isAccepted({ path, status, oidc }: KoaContextWithOIDC): boolean {
  const holder = path === routes.userinfo ? oidc.entities.AccessToken : oidc.client;
  return holder !== undefined && status !== 401 && status < 500;
}

const hashOf = ({ headers }: IncomingMessage): Buffer => credentialHash(headers.authorization ?? '');

import type { KoaContextWithOIDC, Provider } from 'oidc-provider';
import type { Logger } from 'pino';
import { setRefusalCode } from '../../../server/refusal-code.js';
import { Fault, toFault, oauthError, publishedCode, RETRY_AFTER_SECONDS } from '../rules/faults.js';
import { preciseFault } from './precise-fault.js';
import { BASIC_CHALLENGE } from './validate-request.js';
import { clientAuthenticatedEndpoints, isBrowserPath, routes } from '../rules/routes.js';
import { oidcContext } from './middleware.js';
import type { Middleware } from './middleware.js';

/**
 * Rewrites every error of the library: a published code, the two published members, and `Retry-After` on a 503. Logs
 * outages and unforeseen failures, which nothing else logs. `showFault` answers where a browser may read.
 */
export function rewriteLibraryErrors(
  provider: Provider,
  logger: Logger,
  showFault: (ctx: KoaContextWithOIDC, fault: Fault) => void,
): Middleware {
  const causes = new WeakMap<object, unknown>();
  provider.on('server_error', (ctx, error) => causes.set(ctx, error));
  const preciseFaults = new WeakMap<object, Fault>();
  const recordPreciseFault = (ctx: KoaContextWithOIDC, error: Error) => {
    const fault = preciseFault(ctx, error);
    if (fault) preciseFaults.set(ctx, fault);
  };
  provider.on('authorization.error', recordPreciseFault);
  provider.on('end_session.error', recordPreciseFault);
  provider.on('grant.error', recordPreciseFault);
  return async (context, next) => {
    const ctx = oidcContext(context);
    try {
      await next();
    } catch (error) {
      causes.set(ctx, error);
      ctx.status = 500;
      ctx.body = null;
    }
    nameRealm(ctx);
    const cause = causes.get(ctx);
    const fault = cause === undefined ? preciseFaults.get(ctx) : toFault(cause);
    if (fault) report(logger, ctx, fault);
    if (ctx.status >= 300 && ctx.status < 400) return moveErrorToQuery(ctx, fault);
    if (fault?.isTransient) ctx.set('retry-after', RETRY_AFTER_SECONDS);
    if (ctx.type === 'text/html') return;
    if (fault && isBrowserPath(ctx.path)) showFault(ctx, fault);
    else if (fault) answer(ctx, fault);
    else if (ctx.status >= 400 && isOAuthError(ctx.body)) {
      const { error, error_description } = ctx.body;
      answer(ctx, new Fault(ctx.status, publishedCode(error), error_description ?? REFUSED));
    }
  };
}

/** The library uses its issuer as the realm; the whole network is one realm (RFC 9110, section 11.5). */
function nameRealm(ctx: KoaContextWithOIDC): void {
  const challenge = ctx.response.get('www-authenticate');
  if (challenge) ctx.set('www-authenticate', challenge.replace(/realm="[^"]*"/, 'realm="plaza"'));
}

const REFUSED = 'The request was refused.';

function answer(ctx: KoaContextWithOIDC, fault: Fault): void {
  // RFC 7662, section 2.2: any other kind of token is inactive, not an error.
  if (ctx.path === routes.introspection && fault.code === 'unsupported_token_type') {
    ctx.status = 200;
    ctx.body = { active: false };
    return;
  }
  ctx.status = fault.status;
  setRefusalCode(ctx.res, fault.code);
  if (fault.status === 401 && clientAuthenticatedEndpoints.has(ctx.path))
    ctx.set('www-authenticate', BASIC_CHALLENGE);
  ctx.body = oauthError(fault);
}

function report(
  logger: Logger,
  { method, path }: KoaContextWithOIDC,
  { isTransient, code, cause }: Fault,
): void {
  if (isTransient)
    logger.warn(
      { err: cause, method, path },
      'request to the authorization server failed: a store is unavailable',
    );
  else if (code === 'server_error')
    logger.error({ err: cause, method, path }, 'unforeseen failure of a request to the authorization server');
}

function isOAuthError(body: unknown): body is { error: string; error_description: string | undefined } {
  return typeof body === 'object' && body !== null && 'error' in body && typeof body.error === 'string';
}

/** Puts an error for the application into the query of the redirect (RFC 6749, section 4.1.2.1). */
function moveErrorToQuery(ctx: KoaContextWithOIDC, fault: Fault | undefined): void {
  const location = ctx.response.get('location');
  if (!URL.canParse(location)) return;
  const url = new URL(location);
  for (const [name, value] of new URLSearchParams(url.hash.slice(1))) url.searchParams.set(name, value);
  const error = url.searchParams.get('error');
  if (error === null) return;
  url.hash = '';
  const code = fault ? fault.code : publishedCode(error);
  setRefusalCode(ctx.res, code);
  url.searchParams.set('error', code);
  const ownDescription = url.searchParams.get('error_description');
  url.searchParams.set('error_description', fault?.description ?? ownDescription ?? REFUSED);
  url.searchParams.delete('scope');
  ctx.set('location', url.href);
}

import type { KoaContextWithOIDC, Provider } from 'oidc-provider';
import type { Logger } from 'pino';
import { Fault, faultOf, oauthError, publishedCode, RETRY_AFTER } from './faults.js';
import { preciseFault } from './precise-fault.js';
import { BASIC_CHALLENGE } from './validate-request.js';
import { clientEndpoints, routes } from './routes.js';
import { oidcContext } from './middleware.js';
import type { Middleware } from './middleware.js';

/**
 * Last word on every answer of the library: an error has a published code and the two published members, and a part
 * that is down is a 503 that says when to come back. Also keeps the only record of what failed for no foreseen reason.
 */
export function answerFaults(provider: Provider, logger: Logger): Middleware {
  const causes = new WeakMap<object, unknown>();
  provider.on('server_error', (ctx, error) => causes.set(ctx, error));
  const precise = new WeakMap<object, Fault>();
  const lookCloser = (ctx: KoaContextWithOIDC, error: Error) => {
    const fault = preciseFault(ctx, error);
    if (fault) precise.set(ctx, fault);
  };
  provider.on('authorization.error', lookCloser);
  provider.on('end_session.error', lookCloser);
  provider.on('grant.error', lookCloser);
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
    const fault = cause === undefined ? precise.get(ctx) : faultOf(cause);
    if (fault) report(logger, ctx, fault);
    if (ctx.status >= 300 && ctx.status < 400) return tidyRedirect(ctx, fault);
    if (fault?.passing) ctx.set('retry-after', RETRY_AFTER);
    if (ctx.type === 'text/html') return;
    if (fault) answer(ctx, fault);
    else if (ctx.status >= 400 && isOAuthError(ctx.body)) {
      const { error, error_description } = ctx.body;
      answer(ctx, new Fault(ctx.status, publishedCode(error), error_description ?? REFUSED));
    }
  };
}

/** The library names its issuer, and the network has one realm, whoever refuses (RFC 9110, section 11.5). */
function nameRealm(ctx: KoaContextWithOIDC): void {
  const challenge = ctx.response.get('www-authenticate');
  if (challenge) ctx.set('www-authenticate', challenge.replace(/realm="[^"]*"/, 'realm="plaza"'));
}

/** Where the library describes nothing. */
const REFUSED = 'This is refused.';

function answer(ctx: KoaContextWithOIDC, fault: Fault): void {
  // RFC 7662, section 2.2: what cannot be an access or refresh token is none that is active.
  if (ctx.path === routes.introspection && fault.code === 'unsupported_token_type') {
    ctx.status = 200;
    ctx.body = { active: false };
    return;
  }
  ctx.status = fault.status;
  if (fault.status === 401 && clientEndpoints.has(ctx.path)) ctx.set('www-authenticate', BASIC_CHALLENGE);
  ctx.body = oauthError(fault);
}

function report(logger: Logger, { method, path }: KoaContextWithOIDC, { passing, code, cause }: Fault): void {
  if (passing) logger.warn({ err: cause, method, path }, 'the authorization server is not available');
  else if (code === 'server_error')
    logger.error({ err: cause, method, path }, 'unforeseen failure of the authorization server');
}

function isOAuthError(body: unknown): body is { error: string; error_description: string | undefined } {
  return typeof body === 'object' && body !== null && 'error' in body && typeof body.error === 'string';
}

/** An error that goes back to the application in the address (RFC 6749, section 4.1.2.1), and there in the query. */
function tidyRedirect(ctx: KoaContextWithOIDC, fault: Fault | undefined): void {
  const location = ctx.response.get('location');
  if (!URL.canParse(location)) return;
  const url = new URL(location);
  // Where the library puts what it takes for an implicit or a hybrid flow.
  for (const [name, value] of new URLSearchParams(url.hash.slice(1))) url.searchParams.set(name, value);
  const error = url.searchParams.get('error');
  if (error === null) return;
  url.hash = '';
  url.searchParams.set('error', fault ? fault.code : publishedCode(error));
  const said = url.searchParams.get('error_description');
  url.searchParams.set('error_description', fault?.description ?? said ?? REFUSED);
  url.searchParams.delete('scope');
  ctx.set('location', url.href);
}

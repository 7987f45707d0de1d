import type { KoaContextWithOIDC, Provider } from 'oidc-provider';
import type { Logger } from 'pino';
import { faultOf, oauthError, publishedCode, RETRY_AFTER } from './faults.js';
import type { Fault } from './faults.js';

type Middleware = Parameters<Provider['use']>[0];

/**
 * Last word on every answer of the library: an error has a published code and the two published members, and a part
 * that is down is a 503 that says when to come back. Also keeps the only record of what failed for no foreseen reason.
 */
export function answerFaults(provider: Provider, logger: Logger): Middleware {
  const causes = new WeakMap<object, unknown>();
  provider.on('server_error', (ctx, error) => causes.set(ctx, error));
  return async (context, next) => {
    const ctx = context as unknown as KoaContextWithOIDC;
    try {
      await next();
    } catch (error) {
      causes.set(ctx, error);
      ctx.status = 500;
      ctx.body = null;
    }
    const cause = causes.get(ctx);
    const fault = cause === undefined ? undefined : faultOf(cause);
    if (fault) report(logger, ctx, fault);
    if (ctx.status >= 300 && ctx.status < 400) return tidyRedirect(ctx, fault);
    if (fault?.passing) ctx.set('retry-after', RETRY_AFTER);
    if (ctx.type === 'text/html') return;
    if (fault) {
      ctx.status = fault.status;
      ctx.body = oauthError(fault);
    } else if (ctx.status >= 400 && isOAuthError(ctx.body)) {
      const { error, error_description } = ctx.body;
      ctx.body = { error: publishedCode(error), error_description };
    }
  };
}

function report(logger: Logger, { method, path }: KoaContextWithOIDC, { passing, cause }: Fault): void {
  if (passing) logger.warn({ err: cause, method, path }, 'the authorization server is not available');
  else logger.error({ err: cause, method, path }, 'unforeseen failure of the authorization server');
}

function isOAuthError(body: unknown): body is { error: string; error_description: string | undefined } {
  return typeof body === 'object' && body !== null && 'error' in body && typeof body.error === 'string';
}

/** An error that goes back to the application in the address (RFC 6749, section 4.1.2.1). */
function tidyRedirect(ctx: KoaContextWithOIDC, fault: Fault | undefined): void {
  const location = ctx.response.get('location');
  if (!URL.canParse(location)) return;
  const url = new URL(location);
  const part = url.hash === '' ? 'search' : 'hash';
  const parameters = new URLSearchParams(url[part].slice(1));
  const error = parameters.get('error');
  if (error === null) return;
  parameters.set('error', fault ? fault.code : publishedCode(error));
  if (fault) parameters.set('error_description', fault.description);
  parameters.delete('scope');
  url[part] = parameters.toString();
  ctx.set('location', url.href);
}

import type { IncomingMessage, ServerResponse } from 'node:http';
import { rateLimitFields } from '../../limits/rate-limit-fields.js';
import type { RefusedCredentials } from '../../limits/refused-credentials.js';
import { credentialHash } from '../../store/authority/credential-hash.js';
import { Fault } from './faults.js';
import { oidcContext } from './middleware.js';
import type { Middleware } from './middleware.js';
import { factsOf } from './request-facts.js';
import { clientEndpoints, routes } from './routes.js';

/** Whether somebody authenticates at this path, with a credential that is looked up. */
export const looksUp = (path: string): boolean => clientEndpoints.has(path) || path === routes.userinfo;

/** Says on the answer when to come back. @throws {Fault} `pilot_rate_limited`: too many from this address were refused. */
export function refuseRepeated(
  refused: RefusedCredentials,
  nearest: string,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  const standing = refused.standingOf(nearest, hashOf(request));
  if (!standing) return;
  const fields = rateLimitFields([standing.policy], [standing]);
  for (const [name, value] of Object.entries(fields)) response.setHeader(name, value);
  throw new Fault(
    429,
    'pilot_rate_limited',
    `Too many credentials from this address were refused; come back in ${fields['retry-after']} s.`,
  );
}

/** Counts applications and tokens that were refused, and remembers those that were not. Outside of the transaction. */
export function countRefused(refused: RefusedCredentials): Middleware {
  return async (context, next) => {
    await next();
    const ctx = oidcContext(context);
    if (!looksUp(ctx.path)) return;
    if (ctx.status === 401) await refused.count(factsOf(ctx.req).address);
    else if (ctx.status < 500) refused.remember(hashOf(ctx.req));
  };
}

/** Of the header as the library gets it. */
const hashOf = ({ headers }: IncomingMessage): Buffer => credentialHash(headers.authorization ?? '');

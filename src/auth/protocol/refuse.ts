import type { FastifyReply, FastifyRequest } from 'fastify';
import { AUTH_PREFIX } from '../settings.js';
import { Fault, oauthError } from './faults.js';
import { clientEndpoints, routes } from './routes.js';

/** What is asked of a request before the protocol: network-api.md, "Origin rule" and "Credentials". */
export function refuse(request: FastifyRequest, baseUrl: string): Fault | undefined {
  const path = (request.routeOptions.url ?? '').slice(AUTH_PREFIX.length);
  const { origin, authorization } = request.headers;
  const signsOut = path === `${routes.end_session}/confirm`;
  if (
    origin !== undefined &&
    origin !== baseUrl &&
    (clientEndpoints.has(path) || path === routes.userinfo || signsOut)
  )
    return new Fault(403, 'origin_mismatch', `Omit Origin, or send ${baseUrl}.`);
  if (origin === undefined && signsOut)
    return new Fault(403, 'origin_required', 'Your browser did not say where this form came from.');
  // RFC 6749, section 5.2: the library would answer 400.
  if (clientEndpoints.has(path) && !authorization?.match(/^basic /i))
    return new Fault(401, 'invalid_client', 'Authenticate as the application with HTTP Basic.');
  return undefined;
}

export function sendRefusal(reply: FastifyReply, fault: Fault): FastifyReply {
  if (fault.status === 401) reply.header('www-authenticate', 'Basic realm="plaza"');
  return reply.status(fault.status).header('cache-control', 'no-store').send(oauthError(fault));
}

import type { FastifyReply, FastifyRequest } from 'fastify';
import { asksForPage } from '../../../server/asks-for-page.js';
import { isSingleHeader } from '../../../server/network-origin.js';
import { setRefusalCode } from '../../../server/refusal-code.js';
import { faultPage } from '../pages/fault.page.js';
import { pageHeaders } from '../../../base/pages/layout.js';
import { AUTH_PREFIX } from '../settings.js';
import { basicCredentials, bearerToken } from './credentials.js';
import { Fault, oauthError, RETRY_AFTER_SECONDS } from '../rules/faults.js';
import { clientAuthenticatedEndpoints, isBrowserPath, routes } from '../rules/routes.js';

const singleValued = ['authorization', 'content-type', 'origin'];
/** Headers of attestation-based client authentication, an IETF draft that the library knows. */
const attestations = ['oauth-client-attestation', 'oauth-client-attestation-pop'];

/**
 * Returns why a request is refused for its headers, before its body is read (network-api.md, "Origin rule" and
 * "Credentials"); undefined: acceptable.
 */
export function validateRequest(request: FastifyRequest, baseUrl: string): Fault | undefined {
  const path = pathOf(request);
  const { origin, authorization } = request.headers;
  const repeated = singleValued.find((header) => !isSingleHeader(request, header));
  if (repeated !== undefined) return new Fault(400, 'invalid_request', `Send one header ${repeated}.`);
  const isSignOut = path === `${routes.end_session}/confirm`;
  const needsCredential = clientAuthenticatedEndpoints.has(path) || path === routes.userinfo;
  if (origin !== undefined && origin !== baseUrl && (needsCredential || isSignOut))
    return new Fault(403, 'origin_mismatch', `Omit Origin, or send ${baseUrl}.`);
  if (origin === undefined && isSignOut)
    return new Fault(
      403,
      'origin_required',
      'Your browser did not send the Origin header. Allow it, then send the form again.',
    );
  if (clientAuthenticatedEndpoints.has(path) && !basicCredentials(authorization))
    return clientAuthenticationFault();
  if (
    clientAuthenticatedEndpoints.has(path) &&
    attestations.some((header) => request.headers[header] !== undefined)
  )
    return secondAuthenticationFault();
  return path === routes.userinfo ? refuseBearer(request) : undefined;
}

export const clientAuthenticationFault = () =>
  new Fault(401, 'invalid_client', 'Authenticate as the application with HTTP Basic, and in no other way.');

/** An application authenticates in a second way besides HTTP Basic (RFC 6749, section 2.3). */
export const secondAuthenticationFault = () =>
  new Fault(400, 'invalid_request', 'Authenticate with HTTP Basic alone.');

function refuseBearer({ headers, url }: FastifyRequest): Fault | undefined {
  if (new URLSearchParams(url.split('?')[1]).has('access_token'))
    return new Fault(400, 'invalid_request', 'Send the access token in the Authorization header.');
  if (headers.authorization === undefined)
    return new Fault(401, 'authentication_required', 'Send an access token: Authorization: Bearer <token>.');
  if (bearerToken(headers.authorization) === undefined)
    return new Fault(401, 'invalid_token', 'Send one header: Authorization: Bearer <access token>.');
  return undefined;
}

export function sendRefusal(
  request: FastifyRequest,
  reply: FastifyReply,
  fault: Fault,
  contact: string | undefined,
): FastifyReply {
  const path = pathOf(request);
  setRefusalCode(reply.raw, fault.code);
  reply.status(fault.status).headers({ 'cache-control': 'no-store', pragma: 'no-cache' });
  if (fault.isTransient) reply.header('retry-after', RETRY_AFTER_SECONDS);
  if (fault.status === 401) reply.header('www-authenticate', challenge(path, fault));
  if (isBrowserPath(path)) {
    reply.header('vary', 'Accept');
    if (asksForPage(request.headers))
      return reply.headers(pageHeaders()).send(faultPage(fault, request, contact));
  }
  return reply.send(oauthError(fault));
}

/** Value of `WWW-Authenticate`, without an error code if no credential was sent (RFC 6750, section 3). */
function challenge(path: string, { code }: Fault): string {
  if (clientAuthenticatedEndpoints.has(path)) return BASIC_CHALLENGE;
  return code === 'invalid_token' ? 'Bearer realm="plaza", error="invalid_token"' : 'Bearer realm="plaza"';
}

/**
 * `WWW-Authenticate` of a refused application. Repeats the error code of the body, since some clients read the header
 * first.
 */
export const BASIC_CHALLENGE = 'Basic realm="plaza", error="invalid_client"';

function pathOf({ routeOptions }: FastifyRequest): string {
  return (routeOptions.url ?? '').slice(AUTH_PREFIX.length);
}

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { limits as limitSettings } from '../../base/config/limit-settings.js';
import type { AuthorizationServer } from './authorization-server.js';
import { enforceLimit } from './sign-in/password-check.js';
import type { SignInLimits } from './sign-in/sign-in-limits.js';
import type { RefusedCredentials } from '../../server/limits/refused-credentials.js';
import { isPlainUtf8 } from '../../base/support/plain-utf8.js';
import { AUTH_PREFIX } from './settings.js';
import type { AuthSettings } from './settings.js';
import { authorizationQuery } from './protocol/authorization-query.js';
import { basicCredentials, bearerToken } from './protocol/credentials.js';
import { incompleteFormError, isClientDisconnect } from './rules/client-disconnect.js';
import { Fault, toFault } from './rules/faults.js';
import { readForm, writeForm } from './rules/form.js';
import type { Form } from './rules/form.js';
import { prefillBody } from './protocol/prefill-body.js';
import { validateRequest, sendRefusal } from './protocol/validate-request.js';
import { validateForm } from './protocol/validate-form.js';
import { requiresCredential, enforceRefusalLimit } from './protocol/refused-credential-limit.js';
import { setRequestContext } from './rules/request-context.js';
import {
  clientAuthenticatedEndpoints,
  discoveryPaths,
  protocolEndpoints,
  forwardedFormParameters,
  routes,
} from './rules/routes.js';

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

export function mountProtocolRoutes(
  server: FastifyInstance,
  authorization: AuthorizationServer,
  limits: SignInLimits,
  refused: RefusedCredentials,
  { baseUrl, operatorContact }: AuthSettings,
): void {
  const { host, protocol } = new URL(baseUrl);
  acceptOnlyForms(server);
  server.setErrorHandler((error, request, reply) => {
    const fault = isClientDisconnect(error, request.raw) ? incompleteFormError() : toFault(error);
    if (fault.code === 'server_error')
      request.log.error({ err: error }, 'unforeseen failure in a route of the authorization server');
    return sendRefusal(request, reply, fault, operatorContact);
  });
  server.addHook('onRequest', (request, _reply, done) => done(validateRequest(request, baseUrl)));

  const forward = (request: FastifyRequest, reply: FastifyReply, path: string, query = ''): FastifyReply => {
    const form = (request.body ?? new Map()) as Form;
    const clientId = clientAuthenticatedEndpoints.has(path)
      ? basicCredentials(request.headers.authorization)?.clientId
      : undefined;
    const refusal = validateForm(path, form, clientId, baseUrl);
    if (refusal) throw refusal;
    const raw = request.raw as typeof request.raw & { originalUrl?: string };
    setRequestContext(raw, { requestId: request.id, address: request.ip, clientId, form });
    if (request.method === 'POST') prefillBody(raw, writeForm(form, forwardedFormParameters));
    if (path === routes.userinfo)
      raw.headers.authorization = `Bearer ${bearerToken(raw.headers.authorization)}`;
    if (requiresCredential(path)) enforceRefusalLimit(refused, request.ip, raw, reply.raw);
    raw.url = query === '' ? path : `${path}?${query}`;
    raw.originalUrl = `${AUTH_PREFIX}${raw.url}`;
    raw.headers.host = host;
    raw.headers['x-forwarded-host'] = host;
    raw.headers['x-forwarded-proto'] = protocol.slice(0, -1);
    raw.headers['x-forwarded-for'] = request.ip;
    reply.raw.setHeader('cache-control', 'no-store');
    reply.raw.setHeader('pragma', 'no-cache');
    reply.raw.setHeader('x-content-type-options', 'nosniff');
    reply.hijack();
    authorization.handle(raw, reply.raw);
    return reply;
  };

  for (const [method, url] of protocolEndpoints)
    server.route({
      method,
      url: `${AUTH_PREFIX}${url}`,
      exposeHeadRoute: url !== routes.userinfo,
      handler: async (request, reply) => {
        const [path = '', sent = ''] = request.url.slice(AUTH_PREFIX.length).split(/\?(.*)/s);
        const query = queryOf(url, sent);
        if (rateLimited.has(url))
          enforceLimit({ response: reply.raw }, await limits.takeAuthorization(request.ip));
        // Use the route's path: the request's own may be percent-encoded without need.
        return forward(request, reply, url.includes(':') ? path : url, query);
      },
    });
  // RFC 8414, section 3.1: the well-known path goes before the issuer's.
  server.get(`${discoveryPaths[1]}${AUTH_PREFIX}`, (request, reply) =>
    forward(request, reply, discoveryPaths[1]),
  );
}

/**
 * Routes with a limit for each address: any browser may send them, and each request costs a query and a stored record.
 * A resumed request is stored anew.
 */
const rateLimited: ReadonlySet<string> = new Set([
  routes.authorization,
  `${routes.authorization}/:uid`,
  routes.end_session,
]);

function acceptOnlyForms(server: FastifyInstance): void {
  server.removeAllContentTypeParsers();
  server.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'buffer', bodyLimit: limitSettings.bodies.bytes },
    (request, body: Buffer, done) => {
      try {
        done(null, readForm(textOf(request, body)));
      } catch (error) {
        done(error as Error);
      }
    },
  );
}

function textOf({ headers }: FastifyRequest, body: Buffer): string {
  if (!isPlainUtf8(headers))
    throw new Fault(415, 'invalid_request', 'Send the form in UTF-8, without a Content-Encoding.');
  try {
    return utf8.decode(body);
  } catch {
    throw new Fault(400, 'invalid_request', 'The form is not UTF-8.');
  }
}

/** Returns the part of the query that the endpoint reads. @throws {Fault} `invalid_request` */
function queryOf(url: string, query: string): string {
  if (url === routes.authorization) return authorizationQuery(query);
  if (!url.startsWith(routes.end_session)) return '';
  readForm(query);
  return query;
}

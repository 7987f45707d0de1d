import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { AuthorizationServer } from '../authorization-server.js';
import { admit } from '../sign-in/password-check.js';
import type { SignInLimits } from '../sign-in/sign-in-limits.js';
import type { RefusedCredentials } from '../../limits/refused-credentials.js';
import { AUTH_PREFIX } from '../settings.js';
import { authorizationQuery } from './authorization-query.js';
import { basicCredentials, bearerToken } from './credentials.js';
import { cutOff, isClientGone } from './client-gone.js';
import { Fault, faultOf } from './faults.js';
import { FORM_LIMIT_BYTES, readForm, writeForm } from './form.js';
import type { Form } from './form.js';
import { handOverForm } from './prefill-body.js';
import { refuse, sendRefusal } from './validate-request.js';
import { refuseForm } from './refuse-form.js';
import { looksUp, refuseRepeated } from './refused-credentials.js';
import { rememberFacts } from './request-facts.js';
import { clientEndpoints, discoveryPaths, endpoints, formParameters, routes } from './routes.js';

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Hands requests to the library once they are read, with the address that the network is configured to have. */
export function protocolRoutes(
  server: FastifyInstance,
  authorization: AuthorizationServer,
  limits: SignInLimits,
  refused: RefusedCredentials,
  baseUrl: string,
): void {
  const { host, protocol } = new URL(baseUrl);
  acceptOnlyForms(server);
  server.setErrorHandler((error, request, reply) => {
    const fault = isClientGone(error, request.raw) ? cutOff() : faultOf(error);
    if (fault.code === 'server_error') request.log.error({ err: error }, 'unforeseen failure of a request');
    return sendRefusal(request, reply, fault);
  });
  server.addHook('onRequest', (request, _reply, done) => done(refuse(request, baseUrl)));

  const hand = (request: FastifyRequest, reply: FastifyReply, path: string, query = ''): FastifyReply => {
    const form = (request.body ?? new Map()) as Form;
    const clientId = clientEndpoints.has(path)
      ? basicCredentials(request.headers.authorization)?.clientId
      : undefined;
    const refusal = refuseForm(path, form, clientId, baseUrl);
    if (refusal) throw refusal;
    const raw = request.raw as typeof request.raw & { originalUrl?: string };
    rememberFacts(raw, { requestId: request.id, address: request.ip, clientId, form });
    if (request.method === 'POST') handOverForm(raw, writeForm(form, formParameters));
    // With one space, since the library takes no more.
    if (path === routes.userinfo)
      raw.headers.authorization = `Bearer ${bearerToken(raw.headers.authorization)}`;
    if (looksUp(path)) refuseRepeated(refused, request.ip, raw, reply.raw);
    raw.url = query === '' ? path : `${path}?${query}`;
    raw.originalUrl = `${AUTH_PREFIX}${raw.url}`;
    raw.headers.host = host;
    raw.headers['x-forwarded-host'] = host;
    raw.headers['x-forwarded-proto'] = protocol.slice(0, -1);
    raw.headers['x-forwarded-for'] = request.ip;
    // RFC 6749, section 5.1.
    reply.raw.setHeader('cache-control', 'no-store');
    reply.raw.setHeader('pragma', 'no-cache');
    reply.raw.setHeader('x-content-type-options', 'nosniff');
    reply.hijack();
    // Koa answers whatever happens by itself.
    authorization.handle(raw, reply.raw);
    return reply;
  };

  for (const [method, url] of endpoints)
    server.route({
      method,
      url: `${AUTH_PREFIX}${url}`,
      // network-api.md has a GET of it, and nothing else.
      exposeHeadRoute: url !== routes.userinfo,
      handler: async (request, reply) => {
        const [path = '', sent = ''] = request.url.slice(AUTH_PREFIX.length).split(/\?(.*)/s);
        const query = queryOf(url, sent);
        if (begins.has(url)) admit({ response: reply.raw }, await limits.takeAuthorization(request.ip));
        // Not as it was written, which may be percent-encoded where it need not be.
        return hand(request, reply, url.includes(':') ? path : url, query);
      },
    });
  // RFC 8414, section 3.1: the well-known path goes before the issuer's.
  server.get(`${discoveryPaths[1]}${AUTH_PREFIX}`, (request, reply) =>
    hand(request, reply, discoveryPaths[1]),
  );
}

/** Where anybody's browser is sent to, so that something is looked up and kept for it. */
const begins: ReadonlySet<string> = new Set([routes.authorization, routes.end_session]);

/** At most 64 KiB of `application/x-www-form-urlencoded` in UTF-8, to the letter; anything else is 413 or 415. */
function acceptOnlyForms(server: FastifyInstance): void {
  server.removeAllContentTypeParsers();
  server.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'buffer', bodyLimit: FORM_LIMIT_BYTES },
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
  const charset = /;\s*charset="?([^\s";]+)/i.exec(headers['content-type'] ?? '')?.[1] ?? 'utf-8';
  if (headers['content-encoding'] !== undefined || charset.toLowerCase() !== 'utf-8')
    throw new Fault(415, 'invalid_request', 'Send the form as it is, in UTF-8.');
  try {
    return utf8.decode(body);
  } catch {
    throw new Fault(400, 'invalid_request', 'The form is not UTF-8.');
  }
}

/** What of a query an endpoint may look at. @throws {Fault} `invalid_request` */
function queryOf(url: string, query: string): string {
  if (url === routes.authorization) return authorizationQuery(query);
  if (!url.startsWith(routes.end_session)) return '';
  readForm(query);
  return query;
}

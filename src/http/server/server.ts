import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { LogController } from 'fastify';
import type { FastifyInstance, FastifyPluginCallback, FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import type { Config } from '../../config/config.js';
import { limits } from '../../config/limit-settings.js';
import { TrustedProxies } from '../../config/trusted-proxies.js';
import { requireCredential } from '../admission/require-credential.js';
import { sendError } from './error.filter.js';
import { HttpRefusal } from './errors.js';
import { acceptOnlyJson } from '../requests/json-body.js';
import { rememberMethods } from './method-not-allowed.js';
import { isSocial, requireNetworkOrigin } from './network-origin.js';
import type { Endpoint } from '../openapi/endpoint.js';
import { strictTransport } from './strict-transport.js';
import { boundUnreadAnswers } from '../slow-readers/unread-answers.js';
import { refuseTunnels, refuseUnreadable } from '../requests/unreadable.js';

/** Longer than any identifier, so that a long one is an unknown one and not an unknown address. */
const LONGEST_PARAMETER = 16_384;
/** How long requests under way may take when the server stops. */
const LAST_REQUESTS_MS = 2_000;

/** `request.ip` is what the trusted proxies say; of nothing else that a proxy may say is any use made. */
export function fastifyAdapter(
  logger: Logger,
  { baseUrl, trustedProxies }: Pick<Config, 'baseUrl' | 'trustedProxies'>,
): FastifyAdapter {
  const proxies = new TrustedProxies(trustedProxies);
  const strict = strictTransport(baseUrl);
  return new FastifyAdapter({
    loggerInstance: logger,
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: () => randomUUID(),
    trustProxy: (address: string) => proxies.trusts(address),
    routerOptions: { maxParamLength: LONGEST_PARAMETER },
    frameworkErrors: (error: Error, request: FastifyRequest, reply: FastifyReply) =>
      sendError(error, request, reply.headers(strict)),
    clientErrorHandler: (error: NodeJS.ErrnoException, socket: Socket) =>
      refuseUnreadable(error, socket, strict),
    rewriteUrl: ({ url = '' }) => nameEmptySegments(url),
    // Slow senders are cut; see also `boundUnreadAnswers`. Between requests a proxy in front keeps connections for less.
    requestTimeout: 30_000,
    // Node would answer by itself, with no body: see `refuseUnusual`.
    http: { requireHostHeader: false },
    forceCloseConnections: 'idle',
    // What still comes on an open connection while the server stops is served: Fastify would refuse it with a body of its own.
    return503OnClosing: false,
  });
}

/** Sets up what holds for every request, before any route is registered. Register the result after all of them. */
export function prepareServer(
  app: NestFastifyApplication,
  baseUrl: string,
  endpoints: readonly Endpoint[],
): FastifyPluginCallback {
  const server: FastifyInstance = app.getHttpAdapter().getInstance();
  const refuseOtherMethods = rememberMethods(server);
  const strict = Object.entries(strictTransport(baseUrl));
  server.addHook('onRequest', (_request, { raw }, done) => {
    // On the answer itself, so that one of the authorization server has it as well.
    for (const [name, value] of strict) raw.setHeader(name, value);
    done();
  });
  boundUnreadAnswers(server.server, limits.connections);
  refuseUnusual(server);
  refuseTunnels(server.server, strictTransport(baseUrl));
  acceptOnlyJson(server);
  requireNetworkOrigin(server, baseUrl);
  requireCredential(server, endpoints);
  server.addHook('onSend', async (_request, reply) => {
    // An answer is for its caller at this moment: no cache keeps it, no browser guesses its type.
    if (!reply.hasHeader('cache-control')) void reply.header('cache-control', 'no-store');
    void reply.header('x-content-type-options', 'nosniff');
  });
  server.addHook('preClose', (done) => {
    // A connection that has never asked for anything counts as busy: it is not waited for.
    setTimeout(() => server.server.closeAllConnections(), LAST_REQUESTS_MS).unref();
    done();
  });
  return refuseOtherMethods;
}

/** What HTTP has a server refuse: no Host (RFC 9112, section 3.2), or an expectation (RFC 9110, section 10.1.1). */
function refuseUnusual(server: FastifyInstance): void {
  const unexpected = new WeakSet<IncomingMessage>();
  server.server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
    unexpected.add(request);
    server.server.emit('request', request, response);
  });
  server.addHook('onRequest', ({ raw }, _reply, done) => {
    if (unexpected.has(raw))
      return done(new HttpRefusal('invalid_request', 'Expect 100-continue or nothing.'));
    if (raw.headers.host === undefined && raw.httpVersion === '1.1')
      return done(new HttpRefusal('invalid_request', 'Send a header Host.'));
    done();
  });
}

/** What is named by nothing is looked for, and not found, by the operation that it was asked of: a router would not get that far. */
function nameEmptySegments(url: string): string {
  const [path = '', ...query] = url.split('?');
  return isSocial(path) ? [path.replaceAll(/\/(?=\/|$)/g, '/%20'), ...query].join('?') : url;
}

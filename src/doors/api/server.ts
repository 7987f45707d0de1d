import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { LogController } from 'fastify';
import type { FastifyInstance, FastifyPluginCallback, FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import type { Config } from '../../base/config/config.js';
import { limits } from '../../base/config/limit-settings.js';
import { TrustedProxies } from '../../base/config/trusted-proxies.js';
import { requireCredential } from './require-credential.js';
import { arrivalDeadline } from '../../server/arrival-deadline.js';
import { clientRequestIdOf, REQUEST_ID } from '../../server/client-request-id.js';
import { sendError } from '../../server/error.filter.js';
import { HttpRefusal } from '../../server/errors.js';
import { acceptOnlyJson } from '../../server/bodies/json-body.js';
import { methodNotAllowedPlugin } from '../../server/method-not-allowed.js';
import { isSocialPath, requireNetworkOrigin } from '../../server/network-origin.js';
import type { Endpoint } from './openapi/endpoint.js';
import { strictTransport } from '../../server/strict-transport.js';
import { boundAddressConnections } from '../../server/slow-readers/address-connections.js';
import { boundUnreadAnswers } from '../../server/slow-readers/unread-answers.js';
import { refuseTunnels, refuseUnreadable, trackExchanges } from '../../server/bodies/unreadable.js';

/**
 * Longest path parameter: longer than any identifier, so that a long one is refused as an unknown resource and not as
 * an unknown address.
 */
const LONGEST_PARAMETER = 16_384;
const LAST_REQUESTS_MS = 2_000;

type NetworkAddress = Pick<Config, 'baseUrl' | 'trustedProxies'>;

/**
 * Returns the HTTP server of the API. `request.ip` is the address that trusted proxies report; no other header of a
 * proxy is used.
 */
export function fastifyAdapter(logger: Logger, { baseUrl, trustedProxies }: NetworkAddress): FastifyAdapter {
  const proxies = new TrustedProxies(trustedProxies);
  const strict = strictTransport(baseUrl);
  // Cuts slow senders; `boundUnreadAnswers` cuts slow readers. A proxy in front closes idle connections earlier.
  const { requestTimeout, http } = arrivalDeadline(limits.connections);
  return new FastifyAdapter({
    loggerInstance: logger,
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: () => randomUUID(),
    trustProxy: (address: string) => proxies.trusts(address),
    routerOptions: { maxParamLength: LONGEST_PARAMETER },
    frameworkErrors: (error: Error, request: FastifyRequest, reply: FastifyReply) =>
      sendError(error, request, reply.headers({ ...strict, [REQUEST_ID]: clientRequestIdOf(request.raw) })),
    clientErrorHandler: (error: NodeJS.ErrnoException, socket: Socket) =>
      refuseUnreadable(error, socket, { ...strict, [REQUEST_ID]: randomUUID() }),
    rewriteUrl: ({ url = '' }) => nameEmptySegments(url),
    requestTimeout,
    http: { ...http, requireHostHeader: false },
    forceCloseConnections: 'idle',
    // Requests on open connections are served during shutdown. Fastify would refuse them with a body of its own.
    return503OnClosing: false,
  });
}

/** Registers the hooks of every request; call it before any route. Returns a plugin to register after all routes. */
export function prepareServer(
  app: NestFastifyApplication,
  { baseUrl, trustedProxies }: NetworkAddress,
  endpoints: readonly Endpoint[],
): FastifyPluginCallback {
  const server: FastifyInstance = app.getHttpAdapter().getInstance();
  const refuseOtherMethods = methodNotAllowedPlugin(server);
  const strict = Object.entries(strictTransport(baseUrl));
  server.addHook('onRequest', (request, { raw }, done) => {
    // Set on the raw answer, so that answers of the authorization server have them as well.
    for (const [name, value] of strict) raw.setHeader(name, value);
    raw.setHeader(REQUEST_ID, clientRequestIdOf(request.raw));
    done();
  });
  boundUnreadAnswers(server.server, limits.connections);
  const proxies = new TrustedProxies(trustedProxies);
  boundAddressConnections(server.server, limits.connections.ofAddress, (address) => proxies.trusts(address));
  refuseUnusual(server);
  trackExchanges(server.server);
  refuseTunnels(server.server, (request) => ({
    ...strictTransport(baseUrl),
    [REQUEST_ID]: clientRequestIdOf(request),
  }));
  acceptOnlyJson(server);
  requireNetworkOrigin(server, baseUrl);
  requireCredential(server, endpoints);
  server.addHook('onSend', async (_request, reply) => {
    // Answers are private to their caller: no caching and no MIME sniffing.
    if (!reply.hasHeader('cache-control')) void reply.header('cache-control', 'no-store');
    void reply.header('x-content-type-options', 'nosniff');
  });
  server.addHook('preClose', (done) => {
    // Node counts a connection without any request as busy. The shutdown does not wait for it.
    setTimeout(() => server.server.closeAllConnections(), LAST_REQUESTS_MS).unref();
    done();
  });
  return refuseOtherMethods;
}

/**
 * Refuses HTTP/1.1 requests without Host (RFC 9112, section 3.2), and unknown expectations (RFC 9110, section 10.1.1).
 */
function refuseUnusual(server: FastifyInstance): void {
  const unexpected = new WeakSet<IncomingMessage>();
  server.server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
    unexpected.add(request);
    server.server.emit('request', request, response);
  });
  server.addHook('onRequest', ({ raw }, _reply, done) => {
    if (unexpected.has(raw))
      return done(
        new HttpRefusal(
          'invalid_request',
          'The only supported expectation is 100-continue; leave out Expect.',
        ),
      );
    if (raw.headers.host === undefined && raw.httpVersion === '1.1')
      return done(new HttpRefusal('invalid_request', 'Send the header Host.'));
    done();
  });
}

/**
 * Replaces empty path segments of the social API, for which the router would find no operation: the operation answers
 * for the unknown resource.
 */
function nameEmptySegments(url: string): string {
  const [path = '', ...query] = url.split('?');
  return isSocialPath(path) ? [path.replaceAll(/\/(?=\/|$)/g, '/%20'), ...query].join('?') : url;
}

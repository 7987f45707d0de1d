import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { AuthorizationServer } from '../authorization-server.js';
import { AUTH_PREFIX } from '../settings.js';
import { withoutIdleNonce } from './nonce.js';
import { refuse, sendRefusal } from './refuse.js';
import { discoveryPaths, endpoints } from './routes.js';

/** Hands requests to the library as they come off the wire, with the address that the network is configured to have. */
export function protocolRoutes(
  server: FastifyInstance,
  authorization: AuthorizationServer,
  baseUrl: string,
): void {
  const { host, protocol } = new URL(baseUrl);

  // The library reads the body itself.
  server.removeAllContentTypeParsers();
  server.addContentTypeParser('*', (_request, _payload, done) => done(null));

  const hand =
    (path: (request: FastifyRequest) => string) => (request: FastifyRequest, reply: FastifyReply) => {
      const refusal = refuse(request, baseUrl);
      if (refusal) return sendRefusal(reply, refusal);
      const raw = request.raw as typeof request.raw & { originalUrl?: string };
      raw.url = path(request);
      raw.originalUrl = `${AUTH_PREFIX}${raw.url}`;
      raw.headers.host = host;
      raw.headers['x-forwarded-host'] = host;
      raw.headers['x-forwarded-proto'] = protocol.slice(0, -1);
      raw.headers['x-forwarded-for'] = request.ip;
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
      handler: hand(({ url: whole }) => withoutIdleNonce(whole.slice(AUTH_PREFIX.length))),
    });
  // RFC 8414, section 3.1: the well-known path goes before the issuer's.
  server.get(
    `${discoveryPaths[1]}${AUTH_PREFIX}`,
    hand(() => discoveryPaths[1]),
  );
}

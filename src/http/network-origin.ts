import type { FastifyInstance } from 'fastify';
import { HttpRefusal } from './errors.js';

/**
 * A request to the API is addressed to the network's own host, and a social call that names an `Origin` names the
 * network's own (network-api.md, "Origin rule"). The authorization server has an origin rule of its own.
 */
export function requireNetworkOrigin(server: FastifyInstance, baseUrl: string): void {
  const { host } = new URL(baseUrl);
  server.addHook('onRequest', (request, _reply, done) => {
    if (!request.url.startsWith('/api/')) return done();
    if (request.headers.host !== host)
      return done(new HttpRefusal('origin_mismatch', `Address requests to ${baseUrl}.`));
    const { origin } = request.headers;
    if (origin !== undefined && origin !== baseUrl && !request.url.startsWith('/api/auth/'))
      return done(new HttpRefusal('origin_mismatch', `Omit Origin, or send ${baseUrl}.`));
    done();
  });
}

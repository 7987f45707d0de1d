import type { FastifyInstance } from 'fastify';
import { unauthenticated } from '../server/errors.js';
import type { Endpoint } from '../openapi/endpoint.js';

/**
 * Refuses whoever sends no credential where one is needed, before anything else of the request is looked at: what is wrong
 * with a cursor or a body is told to nobody who may not use it.
 */
export function requireCredential(
  server: FastifyInstance,
  endpoints: readonly Pick<Endpoint, 'method' | 'path' | 'access'>[],
): void {
  const closed = new Set(
    endpoints
      .filter(({ access }) => !access.anonymous)
      .map(({ method, path }) => `${method.toUpperCase()} ${path.replaceAll(/\{(\w+)\}/g, ':$1')}`),
  );
  server.addHook('onRequest', ({ method, routeOptions, headers }, _reply, done) => {
    const asked = `${method === 'HEAD' ? 'GET' : method} ${routeOptions.url}`;
    done(headers.authorization === undefined && closed.has(asked) ? unauthenticated() : undefined);
  });
}

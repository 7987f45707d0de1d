import type { FastifyInstance } from 'fastify';
import { unauthenticated } from '../../server/errors.js';
import type { Endpoint } from './openapi/endpoint.js';

/**
 * Refuses a request without an access token to an endpoint that needs one, before its cursor or body is read: a client
 * without access learns nothing about these.
 */
export function requireCredential(
  server: FastifyInstance,
  endpoints: readonly Pick<Endpoint, 'method' | 'path' | 'access'>[],
): void {
  const protectedRoutes = new Set(
    endpoints
      .filter(({ access }) => !access.anonymous)
      .map(({ method, path }) => `${method.toUpperCase()} ${path.replaceAll(/\{(\w+)\}/g, ':$1')}`),
  );
  server.addHook('onRequest', ({ method, routeOptions, headers }, _reply, done) => {
    const route = `${method === 'HEAD' ? 'GET' : method} ${routeOptions.url}`;
    done(headers.authorization === undefined && protectedRoutes.has(route) ? unauthenticated() : undefined);
  });
}

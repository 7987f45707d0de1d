import { METHODS } from 'node:http';
import type { FastifyInstance, FastifyPluginCallback, HTTPMethods, RouteOptions } from 'fastify';
import { HttpRefusal } from './errors.js';

/**
 * Answers 405 with `Allow` for a known path under a wrong method (RFC 9110, section 15.5.6), where Fastify answers
 * 404. Call this before any route is registered. Register the returned plugin after all routes.
 */
export function methodNotAllowedPlugin(server: FastifyInstance): FastifyPluginCallback {
  const known = new Map<string, Set<HTTPMethods>>();
  // Adds every method that Node parses, so that known paths answer 405 to each of them.
  for (const method of METHODS.filter((each) => !server.supportedMethods.includes(each)))
    server.addHttpMethod(method);
  server.addHook('onRoute', (route: RouteOptions) => {
    const allowed = known.get(route.url) ?? new Set();
    for (const method of [route.method].flat()) allowed.add(method);
    known.set(route.url, allowed);
  });
  return (instance, _options, registered) => {
    for (const [url, allowed] of known) {
      const method = instance.supportedMethods.filter((candidate) => !allowed.has(candidate));
      if (url.includes('*') || method.length === 0) continue;
      const allow = [...allowed].sort().join(', ');
      instance.route({
        method,
        url,
        // Before body parsing: the method is wrong whatever the body contains.
        onRequest: (_request, reply, done) => {
          void reply.header('allow', allow);
          done(new HttpRefusal('invalid_request', `Use one of: ${allow}.`, { status: 405 }));
        },
        handler: () => undefined,
      });
    }
    registered();
  };
}

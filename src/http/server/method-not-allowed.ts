import { METHODS } from 'node:http';
import type { FastifyInstance, FastifyPluginCallback, HTTPMethods, RouteOptions } from 'fastify';
import { HttpRefusal } from './errors.js';

/**
 * Fastify answers a known path under a wrong method like an unknown path. Remember each path's methods as they are
 * registered (call this first); the plugin it returns (register it last) adds the others, which answer 405 and name the
 * right ones (RFC 9110, section 15.5.6).
 */
export function rememberMethods(server: FastifyInstance): FastifyPluginCallback {
  const known = new Map<string, Set<HTTPMethods>>();
  // Whatever Node can read is told from an address that is none.
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
        // Before the body is parsed: a wrong method is wrong whatever its body is.
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

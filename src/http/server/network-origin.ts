import type { FastifyInstance, FastifyRequest } from 'fastify';
import { HttpRefusal } from './errors.js';

/**
 * A request to the API is addressed to the network's own host, and a social call that names an `Origin` names the
 * network's own (network-api.md, "Origin rule"). The authorization server has an origin rule of its own.
 */
export function requireNetworkOrigin(server: FastifyInstance, baseUrl: string): void {
  const { host, protocol } = new URL(baseUrl);
  server.addHook('onRequest', (request, _reply, done) => {
    const path = pathOf(request);
    if (!path.startsWith('/api/') && !path.startsWith('/.well-known/')) return done();
    const addressed = request.headers.host ?? '';
    const isOurs = addressed === host || hostOf(protocol, addressed) === host;
    if (!isOurs || !isSaidOnce(request, 'host') || !request.url.startsWith('/'))
      return done(new HttpRefusal('origin_mismatch', `Address requests to ${baseUrl}.`));
    const { origin } = request.headers;
    if (origin !== undefined && origin !== baseUrl && isSocial(path))
      return done(new HttpRefusal('origin_mismatch', `Omit Origin, or send ${baseUrl}.`));
    done();
  });
}

/** A path of the social API, and not of the authorization server. */
export const isSocial = (path: string): boolean => path.startsWith('/api/') && !path.startsWith('/api/auth/');

/** By the route that was found, which knows about percent-encoding; what was not found has no route to protect. */
function pathOf({ routeOptions, url }: FastifyRequest): string {
  return routeOptions.url ?? url;
}

/** As a URL has it: in lower case, without the scheme's own port. Undefined: it is none, or more than that. */
function hostOf(protocol: string, addressed: string): string | undefined {
  const url = URL.parse(`${protocol}//${addressed}`);
  return url?.href === `${url?.origin}/` ? url.host : undefined;
}

/** Node keeps the first of several and drops the others: then two readers of one request would not agree. */
export function isSaidOnce({ raw }: FastifyRequest, header: string): boolean {
  return raw.rawHeaders.filter((name, at) => at % 2 === 0 && name.toLowerCase() === header).length < 2;
}

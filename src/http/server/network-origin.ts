import type { FastifyInstance, FastifyRequest } from 'fastify';
import { HttpRefusal } from './errors.js';

/**
 * A request must address the network's own host. A social call with an `Origin` must name the network's own
 * (network-api.md, "Origin rule"). The authorization server has its own origin rule.
 */
export function requireNetworkOrigin(server: FastifyInstance, baseUrl: string): void {
  const { host, protocol } = new URL(baseUrl);
  server.addHook('onRequest', (request, _reply, done) => {
    const path = pathOf(request);
    if (!path.startsWith('/api/') && !path.startsWith('/.well-known/')) return done();
    const addressed = request.headers.host ?? '';
    const isOurs = addressed === host || hostOf(protocol, addressed) === host;
    if (!isOurs || !isSingleHeader(request, 'host') || !request.url.startsWith('/'))
      return done(new HttpRefusal('origin_mismatch', `Address requests to ${baseUrl}.`));
    const { origin } = request.headers;
    if (origin !== undefined && origin !== baseUrl && isSocialPath(path))
      return done(new HttpRefusal('origin_mismatch', `Omit Origin, or send ${baseUrl}.`));
    done();
  });
}

export const isSocialPath = (path: string): boolean =>
  path.startsWith('/api/') && !path.startsWith('/api/auth/');

/** Prefers the matched route, since the router decodes percent-encoding. A path without a route needs no protection. */
function pathOf({ routeOptions, url }: FastifyRequest): string {
  return routeOptions.url ?? url;
}

/** Normalizes a host as URLs do: lower case, without the default port. Undefined: not exactly a host. */
function hostOf(protocol: string, addressed: string): string | undefined {
  const url = urlOfHost(protocol, addressed);
  return url?.href === `${url?.origin}/` ? url.host : undefined;
}

/** A name of 253 characters (RFC 1035, section 2.3.4) with a port. */
const MAX_HOST_LENGTH = 259;

/** Undefined: no host. Parsing takes quadratic time, so a text that is longer than any host is not parsed. */
export function urlOfHost(protocol: string, host: string): URL | undefined {
  return host.length > MAX_HOST_LENGTH ? undefined : (URL.parse(`${protocol}//${host}`) ?? undefined);
}

/** Node keeps the first value of a repeated header. Two readers of one request could then disagree. */
export function isSingleHeader({ raw }: FastifyRequest, header: string): boolean {
  return raw.rawHeaders.filter((name, at) => at % 2 === 0 && name.toLowerCase() === header).length < 2;
}

import type { FastifyInstance, FastifyRequest } from 'fastify';
import { HttpRefusal } from './errors.js';

/**
 * Refuses requests below `/api` and `/.well-known` to another host than that of the network, and calls of the social
 * API with another `Origin` (network-api.md, "Origin rule"). The authorization server has its own origin rule.
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

/**
 * Returns the path of the matched route, since the router decodes percent-encoding; without a route, the URL, which
 * needs no protection.
 */
function pathOf({ routeOptions, url }: FastifyRequest): string {
  return routeOptions.url ?? url;
}

/** Normalizes a host as URLs do: lower case, without the default port. Undefined: not exactly a host. */
function hostOf(protocol: string, addressed: string): string | undefined {
  const url = urlOfHost(protocol, addressed);
  return url?.href === `${url?.origin}/` ? url.host : undefined;
}

/** Longest host of a request: a name of 253 characters (RFC 1035, section 2.3.4) with a port. */
const MAX_HOST_LENGTH = 259;

/**
 * Parses a host; undefined: it is none. Parsing takes quadratic time, so a text that is longer than any host is not
 * parsed.
 */
export function urlOfHost(protocol: string, host: string): URL | undefined {
  return host.length > MAX_HOST_LENGTH ? undefined : (URL.parse(`${protocol}//${host}`) ?? undefined);
}

/**
 * False if the request repeats the header. Node drops or joins repeated values, so another reader of the request, such
 * as a proxy, could see another value.
 */
export function isSingleHeader({ raw }: FastifyRequest, header: string): boolean {
  return raw.rawHeaders.filter((name, at) => at % 2 === 0 && name.toLowerCase() === header).length < 2;
}

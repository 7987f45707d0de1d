import { isIP, isIPv6 } from 'node:net';

/**
 * True for a host name or address of this machine itself (RFC 6761, section 6.3; RFC 1122, section 3.2.1.3; RFC 4291,
 * section 2.5.3). `hostname`: as URLs have it.
 */
export const isLoopbackHost = (hostname: string): boolean =>
  /^(localhost|.+\.localhost|127(\.[0-9]+){3}|\[::1\])$/.test(hostname);

/**
 * Returns the address to listen on for the host of a base URL: a loopback address itself, 127.0.0.1 for another name of
 * this machine, and all addresses for any other host, since that may belong to a proxy. `::` takes IPv4 too.
 * `hostname`: as URLs have it.
 */
export function listenHostOf(hostname: string): string {
  const literal = hostname.replace(/^\[(.*)\]$/, '$1');
  if (!isLoopbackHost(hostname)) return isIPv6(literal) ? '::' : '0.0.0.0';
  return isIP(literal) === 0 ? '127.0.0.1' : literal;
}

import { isIP } from 'node:net';

/** RFC 6761, section 6.3; RFC 1122, section 3.2.1.3; RFC 4291, section 2.5.3. `hostname`: as URLs have it. */
export const isLoopbackHost = (hostname: string): boolean =>
  /^(localhost|.+\.localhost|127(\.[0-9]+){3}|\[::1\])$/.test(hostname);

/**
 * The address to listen on for a base URL: an IP literal is that address itself. A loopback name is 127.0.0.1 and any
 * other name all IPv4 addresses, since the address of the proxy in front is unknown. `hostname`: as URLs have it.
 */
export function listenHostOf(hostname: string): string {
  const literal = hostname.replace(/^\[(.*)\]$/, '$1');
  if (isIP(literal) !== 0) return literal;
  return isLoopbackHost(hostname) ? '127.0.0.1' : '0.0.0.0';
}

import { isIPv6 } from 'node:net';

/**
 * Returns the URL by which this machine reaches a process that listens on `host`. An address that stands for all
 * addresses is replaced by that of loopback.
 */
export function localUrl(host: string, port: number): string {
  const reached = { '0.0.0.0': '127.0.0.1', '::': '::1' }[host] ?? host;
  return `http://${isIPv6(reached) ? `[${reached}]` : reached}:${port}`;
}

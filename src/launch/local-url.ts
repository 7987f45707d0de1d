import { isIPv6 } from 'node:net';

/** Where this machine reaches a process that listens there. An address for "all" is none to connect to. */
export function localUrl(host: string, port: number): string {
  const reached = { '0.0.0.0': '127.0.0.1', '::': '::1' }[host] ?? host;
  return `http://${isIPv6(reached) ? `[${reached}]` : reached}:${port}`;
}

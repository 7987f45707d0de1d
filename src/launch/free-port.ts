import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';
import { LaunchError } from './launch-error.js';

/**
 * Below the range that systems hand out to outgoing connections. A port inside it could be taken by a client,
 * even by one that is trying to reach the very server that is being restarted on it.
 */
const LOWEST = 20_000;
const HIGHEST = 32_000;

/** A loopback port that nothing listens on now. */
export async function freePort(): Promise<number> {
  for (let attempt = 0; attempt < 100; attempt++) {
    const port = randomInt(LOWEST, HIGHEST);
    if ((await faultOfPort(port, '127.0.0.1')) === undefined) return port;
  }
  throw new LaunchError(`no free port found on 127.0.0.1 between ${LOWEST} and ${HIGHEST}`);
}

/** Why a server could not listen there now, as an error code. Undefined when it could. Without a host: on all addresses. */
export function faultOfPort(port: number, host?: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    probe.listen({ port, host, exclusive: true }, () => probe.close(() => resolve(undefined)));
  });
}

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
    if (await isFree(port, '127.0.0.1')) return port;
  }
  throw new LaunchError(`no free port found on 127.0.0.1 between ${LOWEST} and ${HIGHEST}`);
}

/** Whether a server could listen there now. Without a host: on all addresses. */
export function isFree(port: number, host?: string): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', (error: NodeJS.ErrnoException) =>
      error.code === 'EADDRINUSE' ? resolve(false) : reject(error),
    );
    probe.listen({ port, host, exclusive: true }, () => probe.close(() => resolve(true)));
  });
}

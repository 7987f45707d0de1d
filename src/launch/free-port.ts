import { randomInt } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { LaunchError } from './launch-error.js';

/** Ports from the first on, below the second. */
export type PortRange = readonly [first: number, end: number];

const USUAL: PortRange = [20_000, 32_000];
const LOWEST = 1_024;
const FEWEST = 1_000;
const MOST_TRIED = 1_000;

/**
 * Where ports are chosen: below those that the system gives to outgoing connections, the first of which is given. One of
 * those could be taken by a client, even by one that is trying to reach the very server that is being restarted on it.
 */
export function rangeBelow(firstOutgoing: number): PortRange {
  const end = Math.min(USUAL[1], firstOutgoing);
  const first = Math.min(USUAL[0], Math.max(LOWEST, end - (USUAL[1] - USUAL[0])));
  // Where there is next to nothing below, a port that is taken is chosen anew.
  return end - first < FEWEST ? USUAL : [first, end];
}

const RANGE = rangeBelow(firstOutgoing());

function firstOutgoing(): number {
  try {
    return Number.parseInt(readFileSync('/proc/sys/net/ipv4/ip_local_port_range', 'utf8'), 10);
  } catch {
    // Not Linux. macOS and the BSDs begin at 49152, as IANA says (RFC 6335, section 6).
    return 49_152;
  }
}

/**
 * A loopback port on which nothing listens now. Reserved: no process that chooses by this function gets it again while this
 * process lives, even while nothing listens there because a server is being started again.
 */
export async function freePort(choose: (range: PortRange) => number = anyOf): Promise<number> {
  for (let tried = 0; tried < MOST_TRIED; tried++) {
    const port = choose(RANGE);
    const release = await lockPort(port);
    if (!release) continue;
    if ((await faultOfPort(port, '127.0.0.1')) === undefined) return port;
    release();
  }
  throw new LaunchError(`no free port found on 127.0.0.1 between ${RANGE[0]} and ${RANGE[1]}`);
}

const anyOf = ([first, end]: PortRange): number => randomInt(first, end);

/**
 * Reserves a port that a person or another process has chosen. False: one that lives has reserved it, which may be the one
 * that chose it for us. A port outside the range of {@link freePort} needs no reservation.
 */
export async function reservePort(port: number): Promise<boolean> {
  if (port < RANGE[0] || port >= RANGE[1]) return true;
  return (await lockPort(port)) !== undefined;
}

/**
 * The lock is a UDP socket of the same number, on which nobody speaks: the kernel gives it to one process, and takes it back
 * when that ends, however it ends. Unlike a lock file it covers exactly those who share the ports, users and containers
 * included, needs no directory that all of them may write to, and leaves nothing behind. TCP's ports are others.
 */
function lockPort(port: number): Promise<(() => void) | undefined> {
  return new Promise((resolve) => {
    const lock = createSocket('udp4').unref();
    lock.once('error', () => {
      lock.close();
      resolve(undefined);
    });
    lock.bind({ port, address: '127.0.0.1', exclusive: true }, () => resolve(() => lock.close()));
  });
}

/** Why a server could not listen there now, as an error code. Undefined when it could. Without a host: on all addresses. */
export function faultOfPort(port: number, host?: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    probe.listen({ port, host, exclusive: true }, () => probe.close(() => resolve(undefined)));
  });
}

import { randomInt } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { LaunchError } from './launch-error.js';

export type PortRange = readonly [first: number, end: number];

const DEFAULT_RANGE: PortRange = [20_000, 32_000];
const MIN_PORT = 1_024;
const MIN_SIZE = 1_000;
const MAX_ATTEMPTS = 1_000;

/**
 * The range for listening ports, below the ephemeral ports, which begin at `firstOutgoing`. A client could occupy an
 * ephemeral port, even one that connects to the server under restart.
 */
export function portRangeBelow(firstOutgoing: number): PortRange {
  const end = Math.min(DEFAULT_RANGE[1], firstOutgoing);
  const first = Math.min(DEFAULT_RANGE[0], Math.max(MIN_PORT, end - (DEFAULT_RANGE[1] - DEFAULT_RANGE[0])));
  return end - first < MIN_SIZE ? DEFAULT_RANGE : [first, end];
}

const RANGE = portRangeBelow(firstOutgoing());

function firstOutgoing(): number {
  try {
    return Number.parseInt(readFileSync('/proc/sys/net/ipv4/ip_local_port_range', 'utf8'), 10);
  } catch {
    // macOS and the BSDs begin at 49152 (RFC 6335, section 6).
    return 49_152;
  }
}

/**
 * Returns an unused loopback port, and reserves it: no process that uses this function gets it while this process
 * lives, even during a restart of its server.
 * @throws {LaunchError} no free port.
 */
export async function freePort(choose: (range: PortRange) => number = randomPort): Promise<number> {
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const port = choose(RANGE);
    const release = await lockPort(port);
    if (!release) continue;
    if ((await listenError(port, '127.0.0.1')) === undefined) return port;
    release();
  }
  throw new LaunchError(`no free port found on 127.0.0.1 between ${RANGE[0]} and ${RANGE[1]}`);
}

const randomPort = ([first, end]: PortRange): number => randomInt(first, end);

/**
 * Reserves a port that an operator or another process chose. False: another live process reserved it, possibly the one
 * that chose it. A port outside the range of {@link freePort} needs no reservation.
 */
export async function reservePort(port: number): Promise<boolean> {
  if (port < RANGE[0] || port >= RANGE[1]) return true;
  return (await lockPort(port)) !== undefined;
}

/**
 * The lock is a UDP socket of the same number, without traffic: the kernel releases it when its process ends. Unlike a
 * lock file it covers all users and containers that share the ports, and leaves nothing behind. TCP ports are separate.
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

/** Error code of an attempt to listen; undefined: the port is free. Without a host: all addresses. */
export function listenError(port: number, host?: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    probe.listen({ port, host, exclusive: true }, () => probe.close(() => resolve(undefined)));
  });
}

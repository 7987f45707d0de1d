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
 * Returns a range for listening ports below the ephemeral ports, which begin at `firstOutgoing`. Any outgoing
 * connection could occupy an ephemeral port while its server restarts.
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
 * Returns an unused loopback port, and reserves it while this process lives: no other caller of this function gets
 * it, even while the server on it restarts.
 * @throws {LaunchError} no free port was found.
 */
export async function freePort(choose: (range: PortRange) => number = randomPort): Promise<number> {
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const port = choose(RANGE);
    const release = await lockPort(port);
    if (!release) continue;
    if ((await listenError(port, '127.0.0.1')) === undefined) return port;
    release();
  }
  throw new LaunchError(
    `no free port was found on 127.0.0.1: ${MAX_ATTEMPTS} from ${RANGE[0]} to ${RANGE[1] - 1} were tried`,
  );
}

const randomPort = ([first, end]: PortRange): number => randomInt(first, end);

/**
 * Reserves a port that an operator or another process chose. False: another live process has reserved it, possibly
 * the one that chose it. A port that {@link freePort} never returns needs no reservation.
 */
export async function reservePort(port: number): Promise<boolean> {
  if (port < RANGE[0] || port >= RANGE[1]) return true;
  return (await lockPort(port)) !== undefined;
}

/**
 * Locks a port number by a UDP socket on it, which carries no traffic: the kernel releases it when this process ends.
 * Unlike a lock file it holds for all users and containers that share the ports, and is never left behind. TCP
 * servers on the same number are not affected.
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

/**
 * Tries to listen, and returns the error code; undefined: the port is free. Without a host, it tries all addresses.
 */
export function listenError(port: number, host?: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    probe.listen({ port, host, exclusive: true }, () => probe.close(() => resolve(undefined)));
  });
}

import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { clientKey, sendQueues } from './send-queues.js';

/** How often the system is asked. */
const LOOK_MS = 2_000;

/** What a client has taken, and since when it has not taken more. */
interface Progress {
  readonly taken: number;
  readonly since: number;
}

export interface Held {
  readonly idleMs: number;
  readonly unreadBytes: number;
}

/**
 * Cuts connections whose client does not take what the system holds for it. Nobody else sees them: a small answer is the
 * system's as soon as it is written, megabytes for each connection, and stays its own for minutes after Node has closed
 * that. A client is cut when it has taken nothing for `idleMs`; where the system holds more than `unreadBytes` for
 * all of them, as soon as it is seen to take nothing.
 */
export function cutUnacknowledged(server: Server, { idleMs, unreadBytes }: Held): void {
  const sockets = new Set<Socket>();
  const progress = new WeakMap<Socket, Progress>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });

  const look = async (): Promise<void> => {
    const address = server.address();
    if (sockets.size === 0 || address === null || typeof address === 'string') return;
    const queues = await sendQueues(address.port);
    if (!queues) return;
    const now = performance.now();
    const stuck: { readonly socket: Socket; readonly bytes: number; readonly ms: number }[] = [];
    let total = 0;
    for (const socket of sockets) {
      const bytes = queues.get(keyOf(socket) ?? '') ?? 0;
      total += bytes;
      const taken = socket.bytesWritten - socket.writableLength - bytes;
      const before = progress.get(socket);
      if (bytes === 0) progress.delete(socket);
      else if (before?.taken === taken) stuck.push({ socket, bytes, ms: now - before.since });
      else progress.set(socket, { taken, since: now });
    }
    for (const { socket, bytes, ms } of stuck.sort((one, other) => other.ms - one.ms)) {
      // Of what the system has not taken from us, nobody can tell how much is on its way: the server's timeout sees that.
      const isIdle = ms >= idleMs && socket.writableLength === 0;
      if (!isIdle && total <= unreadBytes) continue;
      // With a reset, so that the system forgets what it holds.
      socket.resetAndDestroy();
      total -= bytes;
    }
  };
  let looking: Promise<void> | undefined;
  const timer = setInterval(() => {
    looking ??= look().finally(() => (looking = undefined));
  }, LOOK_MS).unref();
  server.once('close', () => clearInterval(timer));
}

function keyOf({ remoteAddress, remotePort }: Socket): string | undefined {
  return remoteAddress === undefined || remotePort === undefined
    ? undefined
    : clientKey({ address: remoteAddress, port: remotePort });
}

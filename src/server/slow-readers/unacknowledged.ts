import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { clientKey, unacknowledgedBytes } from './unacknowledged-bytes.js';
import type { UnacknowledgedBytes } from './unacknowledged-bytes.js';

const CHECK_MS = 2_000;

interface AckProgress {
  readonly acknowledged: number;
  readonly since: number;
}

export interface UnacknowledgedLimits {
  readonly idleMs: number;
  readonly unreadBytes: number;
}

/**
 * Cuts connections whose client does not acknowledge bytes in the kernel's send buffer (on Linux only). Node does not
 * see these bytes: a small answer leaves Node at once, and the kernel holds it for minutes after Node has closed the
 * connection. A client is cut after `idleMs` without an acknowledgment. While the kernel holds more than `unreadBytes`
 * in all, clients without progress since the last check are cut, the longest idle first.
 */
export function cutUnacknowledgedConnections(
  server: Server,
  { idleMs, unreadBytes }: UnacknowledgedLimits,
): void {
  const sockets = new Set<Socket>();
  const progress = new WeakMap<Socket, AckProgress>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });

  const check = (allQueues: UnacknowledgedBytes): void => {
    const address = server.address();
    if (address === null || typeof address === 'string') return;
    const queues = allQueues.get(address.port);
    const now = performance.now();
    const stuck: { readonly socket: Socket; readonly bytes: number; readonly ms: number }[] = [];
    let total = 0;
    for (const socket of sockets) {
      const bytes = queues?.get(keyOf(socket) ?? '') ?? 0;
      total += bytes;
      const acknowledged = socket.bytesWritten - socket.writableLength - bytes;
      const before = progress.get(socket);
      if (bytes === 0) progress.delete(socket);
      else if (before?.acknowledged === acknowledged) stuck.push({ socket, bytes, ms: now - before.since });
      else progress.set(socket, { acknowledged, since: now });
    }
    for (const { socket, bytes, ms } of stuck.sort((one, other) => other.ms - one.ms)) {
      // Bytes still queued in Node are the concern of the server's timeout.
      const isIdle = ms >= idleMs && socket.writableLength === 0;
      if (!isIdle && total <= unreadBytes) continue;
      // With a reset, so that the kernel frees its buffer.
      socket.resetAndDestroy();
      total -= bytes;
    }
  };
  const watched: WatchedServer = { hasConnections: () => sockets.size > 0, check };
  watch(watched);
  server.once('close', () => unwatch(watched));
}

interface WatchedServer {
  hasConnections(): boolean;
  check(queues: UnacknowledgedBytes): void;
}

/** The servers of this process: one read of the system's connections serves them all. */
const servers = new Set<WatchedServer>();
let timer: NodeJS.Timeout | undefined;
let pending: Promise<void> | undefined;

function watch(watched: WatchedServer): void {
  servers.add(watched);
  timer ??= setInterval(() => {
    pending ??= checkAll().finally(() => (pending = undefined));
  }, CHECK_MS).unref();
}

function unwatch(watched: WatchedServer): void {
  servers.delete(watched);
  if (servers.size > 0) return;
  clearInterval(timer);
  timer = undefined;
}

async function checkAll(): Promise<void> {
  if (![...servers].some((each) => each.hasConnections())) return;
  const queues = await unacknowledgedBytes();
  if (queues) for (const each of servers) each.check(queues);
}

function keyOf({ remoteAddress, remotePort }: Socket): string | undefined {
  return remoteAddress === undefined || remotePort === undefined
    ? undefined
    : clientKey({ address: remoteAddress, port: remotePort });
}

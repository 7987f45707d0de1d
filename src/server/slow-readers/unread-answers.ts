import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { cutUnacknowledgedConnections } from './unacknowledged.js';

export interface ConnectionLimits {
  /**
   * Time without a byte in either direction after which a connection is cut, if none of its requests is running or an
   * answer is unread.
   */
  readonly idleMs: number;
  /** Most requests of one connection whose answers it has not read whole; one more cuts the connection. */
  readonly requests: number;
  /** Most unread bytes of all connections together; beyond, the connections with the oldest unread answers are cut. */
  readonly unreadBytes: number;
  readonly open: number;
}

/** Delay between a request and the check of the unread bytes in all. */
const CHECK_DELAY_MS = 50;

/**
 * Cuts connections that do not read their answers. A slow client stays connected while the unread bytes of this
 * process are within the bound. Beyond it, the connections with the oldest unread answers are cut.
 */
export function boundUnreadAnswers(server: Server, limits: ConnectionLimits): void {
  const unread = new Map<Socket, Set<ServerResponse>>();
  let checkTimer: NodeJS.Timeout | undefined;

  cutUnacknowledgedConnections(server, limits);
  server.maxConnections = limits.open;
  server.setTimeout(limits.idleMs);
  // Node emits it one to two timeouts after the last byte and does not close the socket itself.
  server.on('timeout', (socket: Socket) => {
    const answers = unread.get(socket);
    if (!answers) socket.destroy();
    else if (unreadBytesOf(socket, answers) > 0) cut(socket);
  });
  // Node emits no `close` for queued answers of a closed connection.
  server.on('connection', (socket: Socket) => void socket.once('close', () => unread.delete(socket)));
  // Runs before any request handler.
  server.prependListener('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
    const answers = unread.get(socket) ?? new Set();
    unread.set(socket, answers);
    answers.add(response);
    response.once('close', () => {
      answers.delete(response);
      if (answers.size === 0) unread.delete(socket);
    });
    if (answers.size > limits.requests) cut(socket);
    checkTimer ??= setTimeout(() => {
      checkTimer = undefined;
      cutOldest(unread, limits.unreadBytes);
    }, CHECK_DELAY_MS).unref();
  });
}

/**
 * Cuts connections, the oldest first, until at most `most` unread bytes remain. Those with few unread bytes stay: event
 * streams are among the oldest.
 */
function cutOldest(unread: ReadonlyMap<Socket, ReadonlySet<ServerResponse>>, most: number): void {
  const connections = [...unread].map(([socket, answers]) => ({
    socket,
    bytes: unreadBytesOf(socket, answers),
  }));
  let total = connections.reduce((sum, { bytes }) => sum + bytes, 0);
  for (const { socket, bytes } of connections) {
    if (total <= most) return;
    if (bytes <= socket.writableHighWaterMark) continue;
    cut(socket);
    total -= bytes;
  }
}

/** Cuts a connection with a reset, so that the kernel frees its buffer. */
const cut = (socket: Socket) => void socket.resetAndDestroy();

function unreadBytesOf(socket: Socket, answers: ReadonlySet<ServerResponse>): number {
  let bytes = socket.writableLength;
  // The answer being sent counts the socket's bytes as its own.
  for (const answer of answers) bytes += answer.writableLength - (answer.socket?.writableLength ?? 0);
  return bytes;
}

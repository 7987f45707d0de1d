import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { cutUnacknowledged } from './unacknowledged.js';

/** What clients may have this process hold for them. */
export interface ConnectionLimits {
  /** How long a connection may take nothing and send nothing, while no request of it is being worked on. */
  readonly idleMs: number;
  /** Requests of one connection whose answers it has not taken. */
  readonly requests: number;
  /** Bytes of answers that no client has taken, of all connections together. */
  readonly unreadBytes: number;
  /** Connections at a time. */
  readonly open: number;
}

/** How long answers gather before it is looked how much they are. */
const LOOK_MS = 50;

/**
 * Cuts connections that do not take their answers: a client that reads nothing, or sends on and on without reading. One
 * that takes a little now and then is left alone, however slow it is, unless there is more unread than this process may
 * hold: then the connections go that have been owed something for the longest.
 */
export function boundUnreadAnswers(server: Server, limits: ConnectionLimits): void {
  /** What each connection is owed, in the order in which they asked. */
  const owed = new Map<Socket, Set<ServerResponse>>();
  let look: NodeJS.Timeout | undefined;

  cutUnacknowledged(server, limits);
  server.maxConnections = limits.open;
  server.setTimeout(limits.idleMs);
  // Node tells it between one and two such times after the last byte moved, and leaves the rest to us.
  server.on('timeout', (socket: Socket) => {
    const answers = owed.get(socket);
    if (!answers) socket.destroy();
    else if (unreadBytesOf(socket, answers) > 0) cut(socket);
  });
  // Answers that never had their turn are not told that their connection is closed.
  server.on('connection', (socket: Socket) => void socket.once('close', () => owed.delete(socket)));
  // Before any request is worked on.
  server.prependListener('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
    const answers = owed.get(socket) ?? new Set();
    owed.set(socket, answers);
    answers.add(response);
    response.once('close', () => {
      answers.delete(response);
      if (answers.size === 0) owed.delete(socket);
    });
    if (answers.size > limits.requests) cut(socket);
    look ??= setTimeout(() => {
      look = undefined;
      cutOldest(owed, limits.unreadBytes);
    }, LOOK_MS).unref();
  });
}

/** Those that hold next to nothing stay: event streams are among the oldest. */
function cutOldest(owed: ReadonlyMap<Socket, ReadonlySet<ServerResponse>>, most: number): void {
  const unread = [...owed].map(([socket, answers]) => ({ socket, bytes: unreadBytesOf(socket, answers) }));
  let total = unread.reduce((sum, { bytes }) => sum + bytes, 0);
  for (const { socket, bytes } of unread) {
    if (total <= most) return;
    if (bytes <= socket.writableHighWaterMark) continue;
    cut(socket);
    total -= bytes;
  }
}

/** With a reset, so that the system does not go on holding what nobody takes. */
const cut = (socket: Socket) => void socket.resetAndDestroy();

/** Of a connection: what the system has not taken, and the answers that wait behind that. */
function unreadBytesOf(socket: Socket, answers: ReadonlySet<ServerResponse>): number {
  let bytes = socket.writableLength;
  // The one that is being sent counts what its connection holds as its own.
  for (const answer of answers) bytes += answer.writableLength - (answer.socket?.writableLength ?? 0);
  return bytes;
}

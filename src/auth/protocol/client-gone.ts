import type { IncomingMessage } from 'node:http';
import { Fault } from './faults.js';

/** What Node says of a connection that its other end has closed. */
const closed: ReadonlySet<unknown> = new Set(['ECONNRESET', 'EPIPE', 'ERR_STREAM_PREMATURE_CLOSE']);

/**
 * Whether a request ended in this only because its client went: that is no fault of ours, and no line of the log, which
 * anybody could fill so.
 */
export function isClientGone(error: unknown, { socket }: Pick<IncomingMessage, 'socket'>): boolean {
  return socket.destroyed && error instanceof Error && 'code' in error && closed.has(error.code);
}

/** For nobody: what looks like a store that cannot be reached was a form that breaks off. */
export const cutOff = () => new Fault(400, 'invalid_request', 'The form breaks off; send all of it.');

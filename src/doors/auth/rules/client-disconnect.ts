import type { IncomingMessage } from 'node:http';
import { Fault } from './faults.js';

const disconnectCodes: ReadonlySet<unknown> = new Set(['ECONNRESET', 'EPIPE', 'ERR_STREAM_PREMATURE_CLOSE']);

/**
 * True for an error that a disconnect of the client caused. It must not be logged as a failure: any client could flood
 * the log.
 */
export function isClientDisconnect(error: unknown, { socket }: Pick<IncomingMessage, 'socket'>): boolean {
  return socket.destroyed && error instanceof Error && 'code' in error && disconnectCodes.has(error.code);
}

/**
 * Answer to a client that broke off while it sent a form. The error itself has the same codes as that of an unreachable
 * store.
 */
export const incompleteFormError = () =>
  new Fault(400, 'invalid_request', 'The form is incomplete; send all of it.');

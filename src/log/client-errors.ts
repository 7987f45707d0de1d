import { isCommandError, ErrorType, NotLeaderError } from '@eventstore/db-client';

/**
 * gRPC status codes (grpc.io/docs/guides/status-codes). A connection is lost with CANCELLED and UNAVAILABLE. With
 * DEADLINE_EXCEEDED and ABORTED too, the outcome of the call is unknown.
 */
const lostCodes = new Set([1, 14]);
const ambiguousCodes = new Set([...lostCodes, 4, 10]);

const ambiguousTypes: ReadonlySet<string> = new Set([
  ErrorType.CANCELLED,
  ErrorType.DEADLINE_EXCEEDED,
  ErrorType.TIMEOUT,
  ErrorType.UNAVAILABLE,
  ErrorType.NOT_LEADER,
]);

/** Part of the message of a node that knows no leader. The code of that error is too general to recognize it by. */
const NO_LEADER = 'No leader info available';
/** A server that stops may end a call so, with the general code INTERNAL. */
const STREAM_RESET = 'Received RST_STREAM';

export class DeadlineExceeded extends Error {
  override readonly name = 'DeadlineExceeded';
}

export class LeaderNotFound extends Error {
  override readonly name = 'LeaderNotFound';
}

export class ConnectionGivenUp extends Error {
  override readonly name = 'ConnectionGivenUp';
}

/**
 * True if the outcome of a call is unknown, because the connection, the leader or the time was lost: the call may be
 * repeated. Raw errors of the client have a gRPC `code` and no `type`. A node that is not ready for an append answers
 * with a `type` alone.
 */
export function isAmbiguous(error: unknown): boolean {
  if ([DeadlineExceeded, ConnectionGivenUp, LeaderNotFound].some((kind) => error instanceof kind))
    return true;
  if (!(error instanceof Error)) return false;
  if (ambiguousCodes.has(grpcCodeOf(error) ?? -1)) return true;
  if ([NO_LEADER, STREAM_RESET].some((text) => error.message.includes(text))) return true;
  if (!isCommandError(error)) return false;
  return (
    ambiguousTypes.has(error.type) || (error.type === ErrorType.UNKNOWN && grpcCodeOf(error) === undefined)
  );
}

/** True if the node no longer leads, or the connection to it is lost: then the leader must be found again. */
export const isConnectionLost = (error: unknown): boolean =>
  error instanceof NotLeaderError || (error instanceof Error && lostCodes.has(grpcCodeOf(error) ?? -1));

/**
 * True if the server did not list its features, which the client asks for before its first append. The client fails
 * every later append with the same error, and so must be replaced. Recognized as a raw gRPC error: the client
 * converts all other errors of appends.
 */
export const isFeaturesFault = (error: unknown): boolean =>
  grpcCodeOf(error) !== undefined && error instanceof Error && !isCommandError(error);

export function grpcCodeOf(error: unknown): number | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'number' ? error.code : undefined;
}

/**
 * Runs `work` with a time limit, and settles like it. After the limit, or when one of the signals aborts, it rejects
 * and aborts the signal of `work`. Needed because the deadlines of the client cover neither batch appends nor its
 * first call. A late result is ignored, so `work` must be safe to repeat.
 * @throws {DeadlineExceeded}
 */
export async function within<T>(
  milliseconds: number,
  work: (signal: AbortSignal) => Promise<T>,
  ...signals: readonly (AbortSignal | undefined)[]
): Promise<T> {
  const givingUp = new AbortController();
  const { promise: givenUp, reject } = Promise.withResolvers<never>();
  const giveUp = (reason: unknown): void => {
    reject(reason);
    givingUp.abort(reason);
  };
  const timer = setTimeout(
    () => giveUp(new DeadlineExceeded(`No answer within ${Math.round(milliseconds)} ms.`)),
    milliseconds,
  );
  const removeListeners = signals.map((signal) => onAbort(signal, giveUp));
  try {
    return await Promise.race([givenUp, work(givingUp.signal)]);
  } finally {
    clearTimeout(timer);
    for (const remove of removeListeners) remove();
  }
}

function onAbort(signal: AbortSignal | undefined, listener: (reason: unknown) => void): () => void {
  const listen = (): void => listener(signal?.reason);
  if (signal?.aborted) listen();
  signal?.addEventListener('abort', listen);
  return () => signal?.removeEventListener('abort', listen);
}

import { isCommandError, ErrorType, NotLeaderError } from '@eventstore/db-client';

/** gRPC status codes (grpc.io/docs/guides/status-codes) of a connection that is gone. */
const lostCodes = new Set([1 /* CANCELLED */, 14 /* UNAVAILABLE */]);
/** And of which nothing is known besides. */
const ambiguousCodes = new Set([...lostCodes, 4 /* DEADLINE_EXCEEDED */, 10 /* ABORTED */]);

const ambiguousTypes: ReadonlySet<string> = new Set([
  ErrorType.CANCELLED,
  ErrorType.DEADLINE_EXCEEDED,
  ErrorType.TIMEOUT,
  ErrorType.UNAVAILABLE,
  ErrorType.NOT_LEADER,
]);

/** A node that lost its leader and does not know the next one says so with a code that stands for everything else. */
const NO_LEADER = 'No leader info available';

/** The client or we gave up waiting. */
export class DeadlineExceeded extends Error {
  override readonly name = 'DeadlineExceeded';
}

/** There is nobody to ask: no node answers, or none leads. */
export class LeaderNotFound extends Error {
  override readonly name = 'LeaderNotFound';
}

/** The connection over which it was asked was given up for a new one. */
export class ConnectionGivenUp extends Error {
  override readonly name = 'ConnectionGivenUp';
}

/**
 * Nothing is known about the outcome: the connection, the time or the leader was lost. Some errors come from the client
 * raw, with a gRPC `code` and without a `type`; those of a node that is not ready for an append have a type alone.
 */
export function isAmbiguous(error: unknown): boolean {
  if ([DeadlineExceeded, ConnectionGivenUp, LeaderNotFound].some((kind) => error instanceof kind))
    return true;
  if (!(error instanceof Error)) return false;
  if (ambiguousCodes.has(codeOf(error) ?? -1) || error.message.includes(NO_LEADER)) return true;
  if (!isCommandError(error)) return false;
  return ambiguousTypes.has(error.type) || (error.type === ErrorType.UNKNOWN && codeOf(error) === undefined);
}

/** After these the client looks for another node: where the leader is, or any. */
export const isConnectionLost = (error: unknown): boolean =>
  error instanceof NotLeaderError || (error instanceof Error && lostCodes.has(codeOf(error) ?? -1));

/** The gRPC status code; undefined: the error comes from the client itself. */
export function codeOf(error: unknown): number | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'number' ? error.code : undefined;
}

/**
 * What `work` answers. Rejects, and aborts the signal that `work` is given, after so long or with the reason of one of
 * `others`. The client's own deadlines do not cover a batch append nor a client's first call; this bound does. What comes
 * after it is ignored, so it must be safe to repeat.
 */
export async function within<T>(
  milliseconds: number,
  work: (signal: AbortSignal) => Promise<T>,
  ...others: readonly (AbortSignal | undefined)[]
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
  const forget = others.map((other) => onAbort(other, giveUp));
  try {
    return await Promise.race([givenUp, work(givingUp.signal)]);
  } finally {
    clearTimeout(timer);
    for (const each of forget) each();
  }
}

function onAbort(signal: AbortSignal | undefined, listener: (reason: unknown) => void): () => void {
  const listen = (): void => listener(signal?.reason);
  if (signal?.aborted) listen();
  signal?.addEventListener('abort', listen);
  return () => signal?.removeEventListener('abort', listen);
}

import { isCommandError, ErrorType } from '@eventstore/db-client';

/** gRPC status codes (grpc.io/docs/guides/status-codes) after which an append may or may not have happened. */
const ambiguousCodes = new Set([
  1 /* CANCELLED */, 4 /* DEADLINE_EXCEEDED */, 10 /* ABORTED */, 14 /* UNAVAILABLE */,
]);

const ambiguousTypes: ReadonlySet<string> = new Set([
  ErrorType.CANCELLED,
  ErrorType.DEADLINE_EXCEEDED,
  ErrorType.TIMEOUT,
  ErrorType.UNAVAILABLE,
  ErrorType.NOT_LEADER,
]);

/** The client or we gave up waiting. */
export class DeadlineExceeded extends Error {
  override readonly name = 'DeadlineExceeded';
}

/**
 * Nothing is known about the outcome: the connection or the time ran out. Some errors come from the client raw, with
 * a gRPC `code` and without a `type`.
 */
export function isAmbiguous(error: unknown): boolean {
  if (error instanceof DeadlineExceeded) return true;
  if (!(error instanceof Error)) return false;
  if (isCommandError(error)) return ambiguousTypes.has(error.type);
  return 'code' in error && typeof error.code === 'number' && ambiguousCodes.has(error.code);
}

/**
 * The client's own deadlines do not cover a batch append nor a client's first call: this bound does. What comes after
 * it is ignored, so it must be safe to repeat.
 */
export async function within<T>(milliseconds: number, work: Promise<T>, giveUp?: () => void): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    reject(new DeadlineExceeded(`No answer within ${milliseconds} ms.`));
    giveUp?.();
  }, milliseconds);
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

import { QueryRunnerAlreadyReleasedError } from 'typeorm';

/**
 * SQLSTATE codes that count as unreachable. Server down, stopping, full or without its disk: classes 08, 53 and 58,
 * 57P01-57P03. Timeout of a statement, session or transaction: 57014, 57P05, 25P03, 25P04. Standby after a failover:
 * 25006. Database dropped or closed: 57P04, 3D000, 55000. Role or password changed: class 28.
 */
const serverUnavailable = /^(08...|28...|3D000|53...|55000|57014|57P0[1-5]|58...|25P0[34]|25006)$/;

const connectionFailures = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EPIPE',
  'ETIMEDOUT',
]);

const driverFailures =
  /^(Connection terminated|timeout exceeded when trying to connect|timeout expired|Client has encountered a connection error|Client was closed|Query read timeout)/;

interface ErrorFields {
  readonly code?: unknown;
  readonly syscall?: unknown;
  readonly message?: unknown;
  readonly errors?: unknown;
  readonly driverError?: unknown;
  readonly cause?: unknown;
}

/**
 * True if this error, or a cause of it, says that Postgres could not be reached or could not answer: a retry may
 * succeed.
 */
export function isUnreachable(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) return false;
  // TypeORM releases a broken connection; later calls get this error.
  if (error instanceof QueryRunnerAlreadyReleasedError) return true;
  const { code, syscall, message, errors, driverError, cause }: ErrorFields = error;
  // Only a missing socket: ENOENT of a file would be a bug.
  if (code === 'ENOENT' && syscall === 'connect') return true;
  if (typeof code === 'string' && (connectionFailures.has(code) || serverUnavailable.test(code))) return true;
  if (typeof message === 'string' && driverFailures.test(message)) return true;
  if (Array.isArray(errors) && errors.some(isUnreachable)) return true;
  return isUnreachable(driverError) || isUnreachable(cause);
}

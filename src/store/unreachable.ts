import { QueryRunnerAlreadyReleasedError } from 'typeorm';

/**
 * SQLSTATE of a server that is not there, goes, is full or cannot reach its disk (classes 08, 53 and 58, 57P01-57P03),
 * that ended a statement, a session or a transaction for taking too long (57014, 57P05, 25P03, 25P04), that only
 * follows another since a failover (25006), or that lets nobody in: the database is dropped or closed (57P04, 3D000,
 * 55000), the role or its password is another one (class 28). Somebody is putting that right, or has to.
 */
const serverIsAway = /^(08...|28...|3D000|53...|55000|57014|57P0[1-5]|58...|25P0[34]|25006)$/;

/** What Node says of a connection that cannot be made or broke. */
const connectionBroke = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EPIPE',
  'ETIMEDOUT',
]);

/** What `pg` says without a code. */
const driverGaveUp =
  /^(Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error|Client was closed|Query read timeout)/;

interface Said {
  readonly code?: unknown;
  readonly syscall?: unknown;
  readonly message?: unknown;
  readonly errors?: unknown;
  readonly driverError?: unknown;
  readonly cause?: unknown;
}

/** Whether a Postgres could not be reached, wherever in the chain of causes that is said. Then it passes by itself. */
export function isUnreachable(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) return false;
  // TypeORM lets go of a connection that broke; what is asked of it after that is told this.
  if (error instanceof QueryRunnerAlreadyReleasedError) return true;
  const { code, syscall, message, errors, driverError, cause }: Said = error;
  // No socket at that path. Of a file it would be our own fault.
  if (code === 'ENOENT' && syscall === 'connect') return true;
  if (typeof code === 'string' && (connectionBroke.has(code) || serverIsAway.test(code))) return true;
  if (typeof message === 'string' && driverGaveUp.test(message)) return true;
  // What `net` says of a name with several addresses.
  if (Array.isArray(errors) && errors.some(isUnreachable)) return true;
  return isUnreachable(driverError) || isUnreachable(cause);
}

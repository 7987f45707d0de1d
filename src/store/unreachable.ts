/** SQLSTATE of a server that is not there, goes, is full or cannot reach its disk: classes 08, 53 and 58, 57P01-57P03. */
const serverIsAway = /^(08...|53...|57P0[123]|58...)$/;

/** What Node says of a connection that cannot be made or broke. */
const connectionBroke = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOENT',
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
  readonly message?: unknown;
  readonly errors?: unknown;
  readonly driverError?: unknown;
  readonly cause?: unknown;
}

/** Whether a Postgres could not be reached, wherever in the chain of causes that is said. Then it passes by itself. */
export function isUnreachable(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) return false;
  const { code, message, errors, driverError, cause }: Said = error;
  if (typeof code === 'string' && (connectionBroke.has(code) || serverIsAway.test(code))) return true;
  if (typeof message === 'string' && driverGaveUp.test(message)) return true;
  // What `net` says of a name with several addresses.
  if (Array.isArray(errors) && errors.some(isUnreachable)) return true;
  return isUnreachable(driverError) || isUnreachable(cause);
}

/** SQLSTATE classes that say "not now" rather than "not so": connection, resources, shutdown, I/O. */
const transientStates = /^(08|53|57|58)[0-9A-Z]{3}$/;
const socketErrors = /^E[A-Z]+$/;
/** What `pg` says without a code when a connection breaks or cannot be had in time. */
const brokenConnection =
  /^(Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error|Query read timeout|Cannot use a pool after calling end)/;

/** Postgres is out of reach, starting, stopping or full: the same statement may work later. */
export function isPostgresUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = 'code' in error ? String(error.code) : '';
  return transientStates.test(code) || socketErrors.test(code) || brokenConnection.test(error.message);
}

import type { Pool, PoolClient } from 'pg';

/** Name of a prepared statement for the read models of one incarnation. Names of incarnations are never reused. */
export const statementName = (query: string, incarnation: string): string => `${query}@${incarnation}`;

const dropSql = `
  DO $$
  DECLARE stale text;
  BEGIN
    FOR stale IN SELECT name FROM pg_prepared_statements WHERE name LIKE '%@%' AND name NOT LIKE '%@$current$' LOOP
      EXECUTE format('DEALLOCATE %I', stale);
    END LOOP;
  END $$`;

/**
 * Drops the prepared statements of earlier incarnations when a connection is first used after a publication. Otherwise
 * each rebuild would leave the plans of all reads in the memory of every connection.
 */
export function dropStaleStatements(pool: Pool, current: () => string | undefined): void {
  const preparedFor = new WeakMap<PoolClient, string>();
  pool.on('acquire', (client) => {
    const incarnation = current();
    if (incarnation === undefined) return;
    const previous = preparedFor.get(client) ?? incarnation;
    preparedFor.set(client, incarnation);
    // Queued before the statement that acquired the connection. A connection that fails here fails there too and
    // reports it.
    if (previous !== incarnation)
      client.query(dropSql.replace('$current$', incarnation)).catch(() => undefined);
  });
}

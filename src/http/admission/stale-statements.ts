import type { Pool, PoolClient } from 'pg';

/** Of a statement that is prepared for one incarnation. An incarnation's name never comes back. */
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
 * Drops from a connection what was prepared for earlier incarnations, when it is used for the first time after another was
 * published: else each rebuild would leave all reads' plans behind in the memory of every connection.
 */
export function dropStaleStatements(pool: Pool, current: () => string | undefined): void {
  const preparedFor = new WeakMap<PoolClient, string>();
  pool.on('acquire', (client) => {
    const incarnation = current();
    if (incarnation === undefined) return;
    const before = preparedFor.get(client) ?? incarnation;
    preparedFor.set(client, incarnation);
    // Before whatever the connection was taken for. A connection that fails at this fails at that, too, and says so there.
    if (before !== incarnation)
      client.query(dropSql.replace('$current$', incarnation)).catch(() => undefined);
  });
}

import type { ClientBase, QueryConfig } from 'pg';

/**
 * Runs `work` in a transaction of this client. Commits once `work` resolves. If `work` or the COMMIT fails, rolls
 * back and rejects with that error.
 */
export async function inTransaction<Result>(
  client: ClientBase,
  work: () => Promise<Result>,
): Promise<Result> {
  await client.query('BEGIN');
  try {
    const result = await work();
    await client.query('COMMIT');
    return result;
  } catch (error) {
    await client.query('ROLLBACK').catch(() => undefined);
    throw error;
  }
}

/**
 * Commits these statements in one round trip, on a client in pipeline mode: each is sent before the ones before it are
 * answered. So whatever must prevent the commit has to fail in the database. Rejects with the first error; nothing is
 * committed then.
 */
export async function commitAtOnce(client: ClientBase, statements: readonly QueryConfig[]): Promise<void> {
  const answers = await Promise.allSettled([
    client.query('BEGIN'),
    ...statements.map((statement) => client.query(statement)),
    // Rolls back if a statement has failed.
    client.query('COMMIT'),
  ]);
  const failed = answers.find(({ status }) => status === 'rejected');
  if (failed?.status === 'rejected') throw failed.reason;
}

import type { ClientBase } from 'pg';

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

import type { Client, ClientBase, QueryConfig } from 'pg';

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

/** SQL condition that the transaction of {@link commitAtOnce} has begun. */
export const HAS_BEGUN = `current_setting('plaza.batch', true) = 'on'`;

/**
 * Commits these statements in one round trip, on a client in pipeline mode: each is sent before the ones before it are
 * answered. So whatever must prevent the commit has to fail in the database, and each statement must be safe to repeat:
 * if BEGIN itself fails, the others are executed one by one, but for those that ask for {@link HAS_BEGUN}. Rejects with
 * the first error; else all is committed.
 */
export async function commitAtOnce(client: ClientBase, statements: readonly QueryConfig[]): Promise<void> {
  const { stream } = (client as Client).connection;
  // All in one write: each statement would else be a system call, and wake Postgres.
  stream.cork();
  process.nextTick(() => stream.uncork());
  const answers = await Promise.allSettled([
    client.query("BEGIN; SET LOCAL plaza.batch = 'on'"),
    ...statements.map((statement, index) => client.query(within(client, statement, index + 1))),
    // Rolls back if a statement has failed.
    client.query(within(client, { text: 'COMMIT' }, statements.length + 1)),
  ]);
  const failed = answers.find(({ status }) => status === 'rejected');
  if (failed?.status === 'rejected') throw failed.reason;
}

/** The time limit of a statement begins when it is sent, and so has to include those before it. */
function within(client: ClientBase, statement: QueryConfig, before: number): QueryConfig {
  const { connectionParameters } = client as unknown as {
    readonly connectionParameters?: { readonly query_timeout?: number | false };
  };
  const limit = connectionParameters?.query_timeout;
  if (!limit) return statement;
  // pg reads it of a statement, too; its types do not know that.
  const limited: QueryConfig & { query_timeout: number } = {
    ...statement,
    query_timeout: limit * (before + 1),
  };
  return limited;
}

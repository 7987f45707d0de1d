import type { ClientBase, Pool } from 'pg';

export async function inSnapshot<Result>(
  pool: Pool,
  read: (client: ClientBase) => Promise<Result>,
): Promise<Result> {
  const client = await pool.connect();
  let failed = true;
  try {
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
    const result = await read(client);
    await client.query('COMMIT');
    failed = false;
    return result;
  } finally {
    // A broken or unfinished transaction goes with its connection.
    client.release(failed);
  }
}

import type { Pool } from 'pg';
import { NotReady } from './health.js';

/** More rows than `work_mem` holds, so that Postgres writes them to a temporary file. */
const WRITE_FILE =
  "BEGIN; SET LOCAL work_mem = '64kB'; SELECT count(*) FROM generate_series(1, 10000); ROLLBACK";
const DISK_FULL = '53100';

export class DatabaseFull extends NotReady {
  constructor() {
    super('The disk of Postgres is full: nothing can be written until space is freed.');
  }
}

/**
 * Checks reads and writes of the read store. A table may have room left on a full disk; a new file never has.
 * @throws {DatabaseFull}
 */
export async function checkDatabase(pool: Pool): Promise<void> {
  const client = await pool.connect();
  let isClean = false;
  try {
    await client.query(WRITE_FILE);
    isClean = true;
  } catch (error) {
    if ((error as { code?: unknown }).code === DISK_FULL) throw new DatabaseFull();
    throw error;
  } finally {
    // A failed statement leaves its transaction open.
    client.release(!isClean);
  }
}

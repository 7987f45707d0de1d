import type { Pool, QueryResult } from 'pg';
import type { BoundedClock } from '../../base/support/bounded-clock.js';
import { databaseNowSql } from '../../base/store/database-clock.js';
import { NotReady } from './health.js';

/** More rows than `work_mem` holds, so that Postgres writes them to a temporary file. */
const WRITE_FILE = `
  BEGIN; SET LOCAL work_mem = '64kB';
  SELECT ${databaseNowSql} AS now, count(*) FROM generate_series(1, 10000); ROLLBACK`;
const DISK_FULL = '53100';

export class DatabaseFull extends NotReady {
  constructor() {
    super('The disk of Postgres is full: nothing can be written until space is freed.');
  }
}

/**
 * Checks reads and writes of the read store, and shows its time to `clock`. A table may have room left on a full disk; a
 * new file never has.
 * @throws {DatabaseFull}
 */
export async function checkDatabase(pool: Pool, clock?: BoundedClock): Promise<void> {
  const client = await pool.connect();
  let isClean = false;
  try {
    const results = (await client.query(WRITE_FILE)) as unknown as QueryResult<{ now: string }>[];
    clock?.observe(Number(results[2]?.rows[0]?.now));
    isClean = true;
  } catch (error) {
    if ((error as { code?: unknown }).code === DISK_FULL) throw new DatabaseFull();
    throw error;
  } finally {
    // A failed statement leaves its transaction open.
    client.release(!isClean);
  }
}

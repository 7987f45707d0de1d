import type { Pool } from 'pg';

/** The time of Postgres, in Unix milliseconds. `pg` reads it as a string. */
export const databaseNowSql = 'floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint';

export async function databaseNow(pool: Pool): Promise<number> {
  const { rows } = await pool.query<{ now: string }>(`SELECT ${databaseNowSql} AS now`);
  return Number(rows[0]?.now);
}

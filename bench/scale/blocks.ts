import { escapeLiteral } from 'pg';
import type { Pool } from 'pg';
import { admittedRead } from '../reads/bare-read.js';
import type { Read } from './requests.js';

interface Plan {
  readonly 'Shared Hit Blocks': number;
  readonly 'Shared Read Blocks': number;
}

/**
 * Blocks of shared memory that the statement of each read touches. `plannedOnce`: a pool of one connection that plans as
 * those of the API do.
 */
export async function blocksOfReads(
  plannedOnce: Pool,
  reads: readonly Pick<Read, 'token' | 'read'>[],
): Promise<readonly number[]> {
  const blocks: number[] = [];
  for (const { token, read } of reads) {
    const { text, values } = await admittedRead(plannedOnce, token, read);
    if (blocks.length === 0) await plannedOnce.query(`PREPARE asked AS ${text}`);
    const { rows } = await plannedOnce.query<{ 'QUERY PLAN': [{ Plan: Plan }] }>(
      `EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) EXECUTE asked(${values.map(literal).join(', ')})`,
    );
    const plan = rows[0]?.['QUERY PLAN'][0].Plan;
    if (plan) blocks.push(plan['Shared Hit Blocks'] + plan['Shared Read Blocks']);
  }
  await plannedOnce.query('DEALLOCATE asked');
  return blocks;
}

function literal(value: unknown): string {
  if (value === null) return 'NULL';
  if (Buffer.isBuffer(value)) return `'\\x${value.toString('hex')}'`;
  return escapeLiteral(`${value as string | number}`);
}

/** Shared blocks of all statements of all processes so far. Idle sessions of Postgres report within ten seconds. */
export async function blocksOfAll(pool: Pool): Promise<number> {
  const { rows } = await pool.query<{ blocks: string }>(
    'SELECT sum(blks_hit + blks_read) AS blocks FROM pg_stat_database',
  );
  return Number(rows[0]?.blocks);
}

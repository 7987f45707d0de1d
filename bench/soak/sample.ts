import type { Pool } from 'pg';
import { networkCpuMs } from '../cpu.js';
import type { CpuMs } from '../cpu.js';
import { megabytesOfEach } from '../network.js';
import type { BenchNetwork } from '../network.js';
import type { Answers } from './offer.js';

export interface Rows {
  readonly live: number;
  readonly dead: number;
}

/** One minute of a run. */
export interface Sample extends Pick<Answers, 'latencyMs' | 'errors' | 'shed'> {
  readonly minute: number;
  readonly megabytes: Readonly<Record<string, number>>;
  /** Since the start. */
  readonly cpuMs: CpuMs;
  /** In the whole log. */
  readonly events: number;
  /** Tables by name, of all incarnations together, that have a dead row. */
  readonly rows: Readonly<Record<string, Rows>>;
}

export async function sample(
  minute: number,
  { latencyMs, errors, shed }: Answers,
  network: BenchNetwork,
  pool: Pool,
): Promise<Sample> {
  const { rows: tables } = await pool.query<Rows & { readonly name: string }>(
    `SELECT relname AS name, sum(n_live_tup)::float8 AS live, sum(n_dead_tup)::float8 AS dead
     FROM pg_stat_user_tables GROUP BY relname HAVING sum(n_dead_tup) > 0 ORDER BY dead DESC`,
  );
  const counted = await pool.query<{ readonly events: number }>(
    'SELECT count(*)::float8 AS events FROM audit.event',
  );
  return {
    minute,
    megabytes: megabytesOfEach(network),
    cpuMs: networkCpuMs(network),
    events: counted.rows[0]?.events ?? 0,
    rows: Object.fromEntries(tables.map(({ name, live, dead }) => [name, { live, dead }])),
    latencyMs,
    errors,
    shed,
  };
}

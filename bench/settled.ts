import { setTimeout as pause } from 'node:timers/promises';
import type { Pool } from 'pg';
import { pendingRewrites } from '../src/background/erasure/pending-rewrites.js';
import { published } from './published.js';

const [POLL_MS, LONGEST_MS] = [20, 5 * 60_000];

/**
 * Resolves when no step of settling is left, and no rewrite of a table that may begin at once.
 * @throws {Error} some are left after five minutes
 */
export async function settled(pool: Pool): Promise<void> {
  const { schemaName } = await published(pool);
  const latest = performance.now() + LONGEST_MS;
  while ((await hasSteps(pool, schemaName)) || (await hasRewrites(pool))) {
    if (performance.now() > latest)
      throw new Error('steps of settling or rewrites are left after five minutes');
    await pause(POLL_MS);
  }
}

async function hasSteps(pool: Pool, schemaName: string): Promise<boolean> {
  const { rows } = await pool.query<{ more: boolean }>(
    `SELECT EXISTS (SELECT FROM "${schemaName}".unsettled)
      OR EXISTS (SELECT FROM "${schemaName}".inbox_mark) AS more`,
  );
  return rows[0]?.more === true;
}

const hasRewrites = async (pool: Pool): Promise<boolean> =>
  (await pendingRewrites(pool)).some(({ state }) => state === 'rewrite');

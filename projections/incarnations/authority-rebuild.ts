import type { ClientBase, Pool } from 'pg';
import type { Logger } from 'pino';
import type { Group } from '../runner/projection.js';
import type { Target } from '../runner/target.js';
import type { EventLog } from '../../src/log/event-log.js';
import { runnableStates } from '../jobs/job.js';
import { sleep } from '../../src/base/support/sleep.js';
import { quarantiningTarget } from './fixed-target.js';
import { quarantineIfRolledBack } from './detect/log-rollback.js';

const POLL_MS = 100;

/**
 * The row of a requested authority rebuild, unless a recovery runs: that appends the missing restrictions, then derives
 * the authority store itself.
 */
const PENDING_REBUILD = `authority.deriving
  WHERE NOT EXISTS (SELECT FROM recovery.job WHERE kind = 'recover' AND state = ANY ($1))`;

/** Refuses every request, in all processes, until a worker has replayed the log. `now`: Unix milliseconds. */
export async function beginAuthorityRebuild(database: Pool | ClientBase, now: number): Promise<void> {
  await database.query(
    'INSERT INTO authority.deriving (since) VALUES ($1) ON CONFLICT (singleton) DO UPDATE SET since = excluded.since',
    [new Date(now)],
  );
}

/**
 * The target of the authority group. Its arrival at the head of the log ends an authority rebuild, but only
 * after the log is compared with the publication: requests are decided by both.
 */
export async function authorityTarget(group: Group, log: EventLog, client: ClientBase): Promise<Target> {
  const target = await quarantiningTarget(log, client, group, 'authority');
  return {
    ...target,
    async onCaughtUp() {
      const { rowCount } = await client.query(`SELECT FROM ${PENDING_REBUILD}`, [runnableStates]);
      if (rowCount === 0) return;
      await quarantineIfRolledBack(client, log);
      await client.query(`DELETE FROM ${PENDING_REBUILD}`, [runnableStates]);
    },
  };
}

/**
 * Waits for the authority rebuild of a restored log: operator commands would act on a partial authority
 * store. Does not wait for a recovery, which derives the store in one transaction and needs a running
 * process.
 */
export async function waitForAuthorityRebuild(pool: Pool, logger: Logger): Promise<void> {
  for (let waited = false; ; waited = true) {
    const { rowCount } = await pool.query(
      `SELECT FROM authority.deriving WHERE NOT EXISTS (
        SELECT FROM recovery.job WHERE kind = 'recover' AND state = ANY ($1) AND updated_at >= deriving.since)`,
      [[...runnableStates, 'paused', 'failed']],
    );
    if (rowCount === 0) return;
    if (!waited)
      logger.info('not serving yet: waiting for the authority projection to catch up with the log');
    await sleep(POLL_MS);
  }
}

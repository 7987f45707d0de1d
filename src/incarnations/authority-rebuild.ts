import { setTimeout as pause } from 'node:timers/promises';
import type { ClientBase, Pool } from 'pg';
import type { Logger } from 'pino';
import type { Group } from '../../projections/runner/projection.js';
import type { Target } from '../../projections/runner/target.js';
import type { EventLog } from '../log/event-log.js';
import { openStates } from '../jobs/job.js';
import { guardedTarget } from './fixed-target.js';
import { quarantineIfRolledBack } from '../recovery/detect/log-rollback.js';

const LOOK_AGAIN_MS = 100;

/** Not while a recovery is under way, which appends to the log what was lost and then derives all of it by itself. */
const DERIVED = `authority.deriving
  WHERE NOT EXISTS (SELECT FROM recovery.job WHERE kind = 'recover' AND state = ANY ($1))`;

/** Nobody acts from here on, in any process, until a worker has been through the log. `now`: Unix milliseconds. */
export async function beginAuthorityRebuild(database: Pool | ClientBase, now: number): Promise<void> {
  await database.query(
    'INSERT INTO authority.deriving (since) VALUES ($1) ON CONFLICT (singleton) DO UPDATE SET since = excluded.since',
    [new Date(now)],
  );
}

/**
 * The target of the authority group. That it has reached the end of the log ends what a restore, or a recovery that failed,
 * began: once it is known whether what is published shows the same log, since everybody acts by both.
 */
export async function authorityTarget(group: Group, log: EventLog, client: ClientBase): Promise<Target> {
  const target = await guardedTarget(log, client, group, 'authority');
  return {
    ...target,
    async caughtUp() {
      const { rowCount } = await client.query(`SELECT FROM ${DERIVED}`, [openStates]);
      if (rowCount === 0) return;
      await quarantineIfRolledBack(client, log);
      await client.query(`DELETE FROM ${DERIVED}`, [openStates]);
    },
  };
}

/**
 * Waits until who may act was derived from a restored log: before that, operators would act on half of it. Not for a recovery,
 * which derives it in one step, and which nobody could go on with where no process answers.
 */
export async function waitForAuthorityRebuild(pool: Pool, logger: Logger): Promise<void> {
  for (let waited = false; ; waited = true) {
    const { rowCount } = await pool.query(
      `SELECT FROM authority.deriving WHERE NOT EXISTS (
        SELECT FROM recovery.job WHERE kind = 'recover' AND state = ANY ($1) AND updated_at >= deriving.since)`,
      [[...openStates, 'paused', 'failed']],
    );
    if (rowCount === 0) return;
    if (!waited) logger.info('waiting until a worker has derived from the restored log who may act');
    await pause(LOOK_AGAIN_MS);
  }
}

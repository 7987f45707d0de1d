import type { Pool } from 'pg';
import type { EventLog } from '../log/event-log.js';
import { readRecoveryState } from '../recovery/recovery-state.js';
import { NotReady } from './health.js';
import type { Check } from './health.js';

/** What `/readyz` looks at, by the name it shows. */
export function readinessChecks(pool: Pool, log: EventLog): Readonly<Record<string, Check>> {
  return {
    eventStore: () => log.head(),
    database: () => pool.query('SELECT 1'),
    readModels: () => checkReadModels(pool),
  };
}

async function checkReadModels(pool: Pool): Promise<void> {
  const state = await readRecoveryState(pool);
  if (!state) throw new NotReady('The read models are being built for the first time.');
  if (state.status === 'quarantined') throw new NotReady(`In quarantine: ${state.reason}`);
  const { rows } = await pool.query<{ stopped_reason: string }>(
    `SELECT stopped_reason FROM recovery.incarnation WHERE incarnation = $1 AND stopped_reason IS NOT NULL
     UNION ALL
     SELECT stopped_reason FROM recovery.checkpoint WHERE stopped_reason IS NOT NULL`,
    [state.incarnation],
  );
  const [stopped] = rows;
  if (stopped) throw new NotReady(`A projection stands still: ${stopped.stopped_reason}`);
}

import type { Pool } from 'pg';
import { readPublicationState } from '../../incarnations/recovery-state.js';
import type { RestrictionProof } from '../admission/restriction-proof.js';
import { NotReady, StillStarting } from './health.js';
import type { HealthChecks } from './health.js';
import type { LogCheck } from './log-check.js';

/** Several times the longest silence of an idle worker. */
const SILENT_SECONDS = 15;

/**
 * Checks of `/readyz` by component. The witness is never needed: a process with a proof reads and publishes without
 * it. A process without a proof yet reports its read models as not ready.
 */
export function readinessChecks(pool: Pool, log: LogCheck, proof: RestrictionProof): HealthChecks {
  return {
    required: {
      eventStore: (signal) => log.check(signal),
      database: () => pool.query('SELECT 1'),
      readModels: () => checkReadModels(pool, proof),
      worker: () => checkWorker(pool, log),
    },
    informational: { witness: () => proof.reachWitness() },
  };
}

async function checkReadModels(pool: Pool, proof: RestrictionProof): Promise<void> {
  const state = await readPublicationState(pool);
  if (!state) throw new StillStarting('The read models are being built for the first time.');
  if (state.status === 'quarantined') throw new NotReady(`In quarantine: ${state.reason}`);
  const unproven = proof.unavailableReason(state.witnessEpoch);
  if (unproven !== undefined) throw new NotReady(unproven);
  const { rows } = await pool.query<{ stopped_reason: string }>(
    `SELECT stopped_reason FROM recovery.incarnation WHERE incarnation = $1 AND stopped_reason IS NOT NULL
     UNION ALL
     SELECT stopped_reason FROM recovery.checkpoint WHERE stopped_reason IS NOT NULL`,
    [state.incarnation],
  );
  const [stopped] = rows;
  if (stopped) throw new NotReady(`A projection stands still: ${stopped.stopped_reason}`);
}

/**
 * A standby replaces a worker that ends or freezes (src/store/end-when-silent.ts). If no standby exists, only missing
 * heartbeats show it. Excluded are groups whose silence the read models' check explains: quarantined, stopped at a
 * poison event, or not published yet. So is a group that waits for an unreachable log.
 */
async function checkWorker(pool: Pool, log: LogCheck): Promise<void> {
  if ((await log.reachableForMs()) < SILENT_SECONDS * 1_000) return;
  const { rows } = await pool.query<{ group_name: string; seconds: number }>(
    `SELECT group_name, extract(epoch FROM now() - beat_at)::integer AS seconds
    FROM recovery.heartbeat WHERE beat_at < now() - make_interval(secs => $1)
      AND NOT EXISTS (SELECT FROM recovery.checkpoint
        WHERE checkpoint.group_name = heartbeat.group_name AND stopped_reason IS NOT NULL)
      AND (group_name <> 'serving'
        OR EXISTS (SELECT FROM recovery.publication JOIN recovery.incarnation USING (incarnation)
          WHERE status = 'serving' AND stopped_reason IS NULL))
    ORDER BY beat_at LIMIT 1`,
    [SILENT_SECONDS],
  );
  const [silent] = rows;
  if (silent)
    throw new NotReady(
      `No worker has kept ${silent.group_name} up to date for ${silent.seconds} seconds.`,
      `No worker keeps ${silent.group_name} up to date.`,
    );
}

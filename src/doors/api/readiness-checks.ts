import type { Pool } from 'pg';
import type { Config } from '../../base/config/config.js';
import type { BoundedClock } from '../../base/support/bounded-clock.js';
import { readPublicationState } from '../../../projections/incarnations/recovery-state.js';
import type { RestrictionProof } from './admission/restriction-proof.js';
import { checkClock } from '../../server/health/clock-check.js';
import { checkDatabase } from '../../server/health/database-check.js';
import { checkMail } from '../../server/health/mail-check.js';
import { NotReady, StillStarting } from '../../server/health/health.js';
import type { HealthChecks } from '../../server/health/health.js';
import type { LogCheck } from '../../server/health/log-check.js';

/** Silence after which a worker counts as missing: several times the longest silence of an idle one. */
const SILENT_SECONDS = 15;

export interface ReadinessCheckOptions {
  readonly pool: Pool;
  readonly log: LogCheck;
  readonly proof: RestrictionProof;
  readonly clock: BoundedClock;
  readonly config: Pick<Config, 'smtpUrl' | 'baseUrl'>;
}

/**
 * The checks of `/readyz`, by component. The witness is informational: a process that has the restriction proof works
 * without it, and one that has no proof yet reports its read models as not ready. So is the clock, which is bounded,
 * and mail, without which nobody gets back in who lost the password.
 */
export function readinessChecks({ pool, log, proof, clock, config }: ReadinessCheckOptions): HealthChecks {
  return {
    required: {
      eventStore: (signal) => log.check(signal),
      database: () => checkDatabase(pool, clock),
      readModels: () => checkReadModels(pool, proof),
      worker: () => checkWorker(pool, log),
    },
    informational: {
      witness: () => proof.reachWitness(),
      clock: () => checkClock(clock),
      mail: () => Promise.resolve(config).then(checkMail),
    },
  };
}

async function checkReadModels(pool: Pool, proof: RestrictionProof): Promise<void> {
  const state = await readPublicationState(pool);
  if (!state) throw new StillStarting('The read models are being built for the first time.');
  if (state.status === 'quarantined') throw new NotReady(`In quarantine: ${state.reason}`);
  const unproven = proof.unavailableReason(state.witnessEpoch);
  if (unproven !== undefined) throw new NotReady(unproven);
  const { rowCount } = await pool.query(
    `SELECT FROM recovery.incarnation WHERE incarnation = $1 AND stopped_reason IS NOT NULL
     UNION ALL
     SELECT FROM recovery.checkpoint WHERE stopped_reason IS NOT NULL`,
    [state.incarnation],
  );
  // The reason may be an error of any code, and anybody reads this answer.
  if (rowCount) throw new NotReady('A projection stands still: `plaza projections status` gives the reason.');
}

/**
 * Rejects if no worker has sent heartbeats for a projection group: its worker ended or froze
 * (src/base/store/end-when-silent.ts), and no standby replaced it. Skips groups whose silence has a known cause:
 * quarantined, stopped at a poison event, not published yet, or waiting for an unreachable log.
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

import type { Pool } from 'pg';
import { projectionStatus } from '../../../../projections/projection-status.js';
import { readPublicationState } from '../../../../projections/incarnations/recovery-state.js';
import { isUnreachable } from '../../../base/store/unreachable.js';
import { PeriodicTask } from '../../../base/support/periodic-task.js';
import type { ProcessMetrics } from '../../../base/telemetry/process-metrics.js';
import { undefinedIfUnreachable } from '../../desk/reachable.js';
import type { ActServices } from '../../desk/services.js';
import { plotsOf, SLOT_MS, SLOTS } from './plots.js';
import type { Plot, SampleRow } from './plots.js';
import { sampleOf } from './sample.js';

export const SAMPLE_INTERVAL_MS = 10_000;
const KEPT_MS = SLOT_MS * (SLOTS + 1);

interface SamplerOptions extends Pick<ActServices, 'pool' | 'log' | 'clock' | 'logger'> {
  readonly metrics: ProcessMetrics;
  /** Unique for each start: counters begin at 0 then. */
  readonly processId: string;
}

/** Stores a sample of this process, so that any process plots the sum over all. */
export class Sampler extends PeriodicTask {
  constructor(private readonly options: SamplerOptions) {
    super(SAMPLE_INTERVAL_MS);
  }

  protected override async runOnce(): Promise<void> {
    const { pool, log, clock, logger, metrics, processId } = this.options;
    try {
      const [status, state] = await Promise.all([
        undefinedIfUnreachable(projectionStatus(pool, log)),
        undefinedIfUnreachable(readPublicationState(pool)),
      ]);
      const lags = status?.projections.map(({ lag }) => lag) ?? [null];
      const sample = await sampleOf(metrics, {
        lag: lags.includes(null) ? null : Math.max(...lags.map(Number)),
        witnessEpoch: state ? Number(state.witnessEpoch) : null,
      });
      const at = clock.now();
      await pool.query('INSERT INTO telemetry.sample (process_id, at, sample) VALUES ($1, $2, $3)', [
        processId,
        at,
        JSON.stringify(sample),
      ]);
      await pool.query('DELETE FROM telemetry.sample WHERE at < $1', [at - KEPT_MS]);
    } catch (err) {
      logger[isUnreachable(err) ? 'debug' : 'warn']({ err }, 'no sample for the plots; retrying');
    }
  }
}

export async function readPlots(pool: Pool, now: number): Promise<readonly Plot[]> {
  const { rows } = await pool.query<Omit<SampleRow, 'at'> & { readonly at: string }>(
    `SELECT process_id AS "processId", at::text, sample FROM telemetry.sample WHERE at >= $1 ORDER BY process_id, at`,
    [now - KEPT_MS],
  );
  return plotsOf(
    rows.map(({ processId, at, sample }) => ({ processId, at: Number(at), sample })),
    now,
  );
}

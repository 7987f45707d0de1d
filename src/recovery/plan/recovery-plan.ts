import type { Pool } from 'pg';
import { z } from 'zod';
import { missingShape } from '../../../projections/incarnations/detect/full-comparison.js';
import { networkOf } from '../../../projections/incarnations/network-identity.js';
import { readPublicationState } from '../../../projections/incarnations/recovery-state.js';
import { checkPreconditions, describeLogMismatch } from './preconditions.js';
import { publicationStateShape, witnessStatusWithTimeout } from './recovery-status.js';
import type { StatusSources } from './recovery-status.js';

const number = z.number().nullable();

export const recoveryPlanShape = z.strictObject({
  state: publicationStateShape,
  reason: z.string().nullable(),
  isNeeded: z.boolean(),
  /** The obstacle and its remedy; null if the plan can be applied. */
  refused: z.string().nullable(),
  needsReseed: z.boolean(),
  restrictions: missingShape,
  unsettled: z.number(),
  rebuild: z.strictObject({ events: number, eventsPerSecond: number, seconds: number }),
  lost: z.string(),
});

export type RecoveryPlan = z.infer<typeof recoveryPlanShape>;

const LOST =
  'Posts, follows, likes, profiles, accounts, applications and grants that the log has lost are not restored. Applications find their lost intents with POST /api/intents/lookup.';

/**
 * Returns what a recovery would restore and rebuild, and what prevents it. Changes nothing.
 * @throws {LogUnavailable} {@link WitnessUnavailable} {@link WitnessRequired}; faults of Postgres.
 */
export async function recoveryPlan(sources: StatusSources): Promise<RecoveryPlan> {
  const { pool, log } = sources;
  const state = await readPublicationState(pool);
  const mismatch = describeLogMismatch(await networkOf(log), state?.networkId);
  const status = await witnessStatusWithTimeout(sources, state);
  const isServing = state?.status === 'serving';
  const refused = mismatch ?? checkPreconditions(status, true) ?? null;
  return {
    state: state?.status ?? 'none',
    reason: state?.reason ?? status.setBack,
    isNeeded:
      !isServing ||
      status.missing.count > 0 ||
      status.unwitnessed > 0 ||
      status.setBack !== null ||
      refused !== null,
    refused,
    needsReseed: status.unwitnessed > 0,
    restrictions: status.missing,
    unsettled: status.unsettled,
    rebuild: await estimate(pool),
    lost: LOST,
  };
}

async function estimate(pool: Pool): Promise<RecoveryPlan['rebuild']> {
  const { rows } = await pool.query<{ done: string; rate: number }>(
    `SELECT done, rate FROM recovery.job
    WHERE step = 'published' AND state IN ('published', 'rolled_back') AND rate > 0 AND done > 0
    ORDER BY requested_at DESC LIMIT 1`,
  );
  const [last] = rows;
  if (!last) return { events: null, eventsPerSecond: null, seconds: null };
  const events = Number(last.done);
  return { events, eventsPerSecond: Math.round(last.rate), seconds: Math.ceil(events / last.rate) };
}

import type { Pool } from 'pg';
import { whyNotThisLog } from '../apply/recover.js';
import { networkOf } from '../../incarnations/network-identity.js';
import { readPublicationState } from '../../incarnations/recovery-state.js';
import { checkPreconditions } from './preconditions.js';
import { witnessStatusInTime } from './recovery-status.js';
import type { StatusSources, WitnessStatus } from './recovery-status.js';

export interface RecoveryPlan {
  readonly state: 'serving' | 'quarantined' | 'none';
  /** Why it is quarantined, or why it will be: the log is not the one that the read store was filled from. */
  readonly reason: string | null;
  /** Whether there is anything to recover. */
  readonly isNeeded: boolean;
  /** Why it must not be applied as things are, and what to do; null: nothing is in its way. */
  readonly refused: string | null;
  /** Whether it must be said that the witness was lost or set back, so that it is told again what the log has. */
  readonly needsReseed: boolean;
  /** What would be taken away again. */
  readonly restrictions: WitnessStatus['missing'];
  /** What nobody knows yet to be in the log or not: settled by themselves, before or while it is applied. */
  readonly unsettled: number;
  readonly rebuild: Estimate;
  /** What is not brought back, in words. */
  readonly lost: string;
}

/** What building and verifying read models takes, from the last time that it was done. Null: never measured. */
export interface Estimate {
  readonly events: number | null;
  readonly eventsPerSecond: number | null;
  readonly seconds: number | null;
}

const LOST =
  'Posts, follows, likes, profiles, accounts, applications and grants that the log has lost are not brought back; applications learn by POST /api/intents/lookup which of their intents are lost.';

/** @throws {LogUnavailable} {@link WitnessUnavailable} {@link WitnessRequired} and faults of Postgres */
export async function recoveryPlan(sources: StatusSources): Promise<RecoveryPlan> {
  const { pool, log } = sources;
  const state = await readPublicationState(pool);
  const otherLog = whyNotThisLog(await networkOf(log), state?.networkId);
  const found = await witnessStatusInTime(sources, state);
  const isServing = state?.status === 'serving';
  const refused = otherLog ?? checkPreconditions(found, true) ?? null;
  return {
    state: state?.status ?? 'none',
    reason: state?.reason ?? found.setBack,
    isNeeded:
      !isServing ||
      found.missing.count > 0 ||
      found.unwitnessed > 0 ||
      found.setBack !== null ||
      refused !== null,
    refused,
    needsReseed: found.unwitnessed > 0,
    restrictions: found.missing,
    unsettled: found.unsettled,
    rebuild: await estimate(pool),
    lost: LOST,
  };
}

async function estimate(pool: Pool): Promise<Estimate> {
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

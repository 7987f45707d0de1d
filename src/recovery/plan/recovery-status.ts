import type { ClientBase, Pool } from 'pg';
import { z } from 'zod';
import { versionsOf } from '../../../projections/runner/projection.js';
import type { Group } from '../../../projections/runner/projection.js';
import { LogUnavailable } from '../../log/event-log.js';
import type { EventLog } from '../../log/event-log.js';
import { RETIRED_INCARNATION_KEPT_MS } from '../../../projections/incarnations/rollback-grace.js';
import { jobShape, listJobs } from '../../../projections/jobs/job.js';
import { retiredIncarnations, rollbackObstacle } from '../../../projections/incarnations/rollback.js';
import { readBothLedgers } from '../../../projections/incarnations/detect/read-ledgers.js';
import type { BothLedgers } from '../../../projections/incarnations/detect/read-ledgers.js';
import { compareLedgers, missingShape } from '../../../projections/incarnations/detect/full-comparison.js';
import {
  knownRestrictionIds,
  readPublicationState,
} from '../../../projections/incarnations/recovery-state.js';
import type { PublicationState } from '../../../projections/incarnations/recovery-state.js';
import { readStoreOrigin, detectLogRollback } from '../../../projections/incarnations/detect/log-rollback.js';
import { WitnessRequired, WitnessUnavailable } from '../../log/witness/witness.js';
import type { Witness } from '../../log/witness/witness.js';

const JOBS = 10;
const EXAMPLES = 10;
const ANY_TIME = Number.MAX_SAFE_INTEGER;
const UNSETTLED = 1_000;
const TIMEOUT_MS = 120_000;

/**
 * `unsettled`: number of restrictions in doubt, counted up to 1,000. `brokenLine`: the first altered line of the
 * ledger. `onlyShown`: restrictions that only the read models have. `setBack`: the log rollback, in words.
 */
const witnessShape = z.strictObject({
  epochs: z.strictObject({ witness: z.number(), log: z.number(), readModel: z.number() }),
  unsettled: z.number(),
  brokenLine: z.number().nullable(),
  missing: missingShape,
  unwitnessed: z.number(),
  onlyShown: z.number(),
  setBack: z.string().nullable(),
});

export type WitnessStatus = z.infer<typeof witnessShape>;

export const publicationStateShape = z.enum(['serving', 'quarantined', 'none']);

export const recoveryStatusShape = z.strictObject({
  state: publicationStateShape,
  reason: z.string().nullable(),
  incarnation: z.string().nullable(),
  networkId: z.string().nullable(),
  witness: witnessShape.nullable(),
  witnessFault: z.string().nullable(),
  jobs: z.array(jobShape).readonly(),
  /** Times are Unix milliseconds; `refused` says why this release cannot publish the incarnation again. */
  retired: z
    .array(
      z.strictObject({
        incarnation: z.string(),
        retiredAt: z.number(),
        keptUntil: z.number(),
        refused: z.string().nullable(),
      }),
    )
    .readonly(),
});

export type RecoveryStatus = z.infer<typeof recoveryStatusShape>;

export interface StatusSources {
  readonly pool: Pool;
  readonly log: EventLog;
  readonly witness: Witness;
  readonly group: Group;
  readonly timeoutMs?: number;
}

export async function recoveryStatus(sources: StatusSources): Promise<RecoveryStatus> {
  const { pool, group } = sources;
  const state = await readPublicationState(pool);
  const retired = await retiredIncarnations(pool);
  const { status, fault } = await witnessStatusOrFault(sources, state);
  return {
    state: state?.status ?? 'none',
    reason: state?.reason ?? null,
    incarnation: state?.incarnation ?? null,
    networkId: state?.networkId ?? null,
    witness: status,
    witnessFault: fault,
    jobs: await listJobs(pool, JOBS),
    retired: retired.map((each) => ({
      incarnation: each.incarnation,
      retiredAt: each.retiredAt,
      keptUntil: each.retiredAt + RETIRED_INCARNATION_KEPT_MS,
      refused: rollbackObstacle(each, versionsOf(group)) ?? null,
    })),
  };
}

async function witnessStatusOrFault(sources: StatusSources, state: PublicationState | undefined) {
  try {
    return { status: await witnessStatusWithTimeout(sources, state), fault: null };
  } catch (error) {
    const isUnavailable =
      error instanceof WitnessUnavailable ||
      error instanceof WitnessRequired ||
      error instanceof LogUnavailable;
    if (!isUnavailable) throw error;
    return { status: null, fault: error.message };
  }
}

/**
 * Compares log, witness and publication in full.
 * @throws {LogUnavailable} also after `timeoutMs`; {@link WitnessUnavailable} {@link WitnessRequired}
 */
export async function witnessStatusWithTimeout(
  { pool, log, witness, timeoutMs = TIMEOUT_MS }: StatusSources,
  state: PublicationState | undefined,
): Promise<WitnessStatus> {
  await log.reach();
  const timeout = AbortSignal.timeout(timeoutMs);
  const stores = { database: pool, log, witness };
  const compare = async () =>
    witnessStatus(stores, await readBothLedgers(log, witness, timeout), state, timeout);
  return compare().catch((cause: unknown) => {
    if (cause !== timeout.reason) throw cause;
    throw new LogUnavailable(
      'The event log did not send all its restrictions in time; try again once it answers.',
      { cause },
    );
  });
}

/**
 * As {@link witnessStatusWithTimeout}, with the ledgers of `both` that the caller has just read.
 * @throws {LogUnavailable} {@link WitnessUnavailable} {@link WitnessRequired}; the reason of `signal`.
 */
export async function witnessStatus(
  { database, log, witness }: { database: Pool | ClientBase; log: EventLog; witness: Witness },
  both: BothLedgers,
  state: PublicationState | undefined,
  signal: AbortSignal,
): Promise<WitnessStatus> {
  const shown = await knownRestrictionIds(database, state);
  const comparison = await compareLedgers(both, { log, witness }, shown, signal, EXAMPLES);
  const { witnessed, logged, missing, unwitnessed, onlyShown } = comparison;
  const brokenLine = await witness.firstBroken();
  return {
    epochs: { witness: witnessed, log: logged, readModel: Number(state?.witnessEpoch ?? 0n) },
    unsettled: (await witness.unsettled(ANY_TIME, 0n, UNSETTLED)).length,
    brokenLine: brokenLine === undefined ? null : Number(brokenLine),
    missing,
    unwitnessed,
    onlyShown,
    setBack: (await detectLogRollback(log, await readStoreOrigin(database), signal)) ?? null,
  };
}

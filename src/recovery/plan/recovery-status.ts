import type { ClientBase, Pool } from 'pg';
import { versionsOf } from '../../../projections/runner/projection.js';
import type { Group } from '../../../projections/runner/projection.js';
import { LogUnavailable } from '../../log/event-log.js';
import type { EventLog } from '../../log/event-log.js';
import { GRACE_MS } from '../../incarnations/rollback-grace.js';
import { listJobs } from '../../jobs/job.js';
import type { Job } from '../../jobs/job.js';
import { retiredIncarnations, whyNoRollback } from '../../incarnations/rollback.js';
import { readBothLedgers } from '../detect/both-ledgers.js';
import type { BothLedgers } from '../detect/both-ledgers.js';
import { compareLedgers } from '../detect/full-comparison.js';
import type { Missing } from '../detect/full-comparison.js';
import { allShown, readPublicationState } from '../../incarnations/recovery-state.js';
import type { PublicationState } from '../../incarnations/recovery-state.js';
import { readOrigin, detectLogRollback } from '../detect/log-rollback.js';
import { WitnessRequired, WitnessUnavailable } from '../../witness/witness.js';
import type { Witness } from '../../witness/witness.js';

const JOBS = 10;
const EXAMPLES = 10;
/** Before all of these were prepared: a date that nothing is later than. */
const ALL_TIMES = Number.MAX_SAFE_INTEGER;
const UNSETTLED = 1_000;
const PATIENCE_MS = 120_000;

/** How witness, log and read models stand to each other. */
export interface WitnessStatus {
  /** How many restrictions the witness has accepted, the log has, and the published read models have applied. */
  readonly epochs: { readonly witness: number; readonly log: number; readonly readModel: number };
  /** Prepared or accepted, and not finalized or withdrawn yet: up to 1,000. */
  readonly unsettled: number;
  /** Number of the first line of the ledger that is not as it was written; null: all are. */
  readonly brokenLine: number | null;
  readonly missing: Missing;
  /** How many the log has that the witness lost. */
  readonly unwitnessed: number;
  /** How many the published read models show that neither of them knows. */
  readonly onlyShown: number;
  /** Why this is not the log that the read store was filled from; null: it is. */
  readonly setBack: string | null;
}

export interface RecoveryStatus {
  /** `none`: nothing is published yet. */
  readonly state: 'serving' | 'quarantined' | 'none';
  readonly reason: string | null;
  readonly incarnation: string | null;
  readonly networkId: string | null;
  /** Null: it cannot be told, since log or witness do not answer. */
  readonly witness: WitnessStatus | null;
  /** Why `witness` is null. */
  readonly witnessFault: string | null;
  readonly jobs: readonly Job[];
  /** What was published before and can be again, the last first. Times are Unix milliseconds. */
  readonly retired: readonly {
    readonly incarnation: string;
    readonly retiredAt: number;
    readonly keptUntil: number;
    /** Why it cannot be published again by this release; null: it can, unless the log was set back. */
    readonly refused: string | null;
  }[];
}

export interface StatusSources {
  readonly pool: Pool;
  readonly log: EventLog;
  readonly witness: Witness;
  readonly group: Group;
  /** How long the log may take to tell its restrictions. */
  readonly patienceMs?: number;
}

/** Where the network stands. Rejects if the read store cannot be reached. */
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
      keptUntil: each.retiredAt + GRACE_MS,
      refused: whyNoRollback(each, versionsOf(group)) ?? null,
    })),
  };
}

async function witnessStatusOrFault(sources: StatusSources, state: PublicationState | undefined) {
  try {
    return { status: await witnessStatusInTime(sources, state), fault: null };
  } catch (error) {
    const isAway =
      error instanceof WitnessUnavailable ||
      error instanceof WitnessRequired ||
      error instanceof LogUnavailable;
    if (!isAway) throw error;
    return { status: null, fault: error.message };
  }
}

/** For somebody who waits for it. @throws {LogUnavailable} {@link WitnessUnavailable} {@link WitnessRequired} */
export async function witnessStatusInTime(
  { pool, log, witness, patienceMs = PATIENCE_MS }: StatusSources,
  state: PublicationState | undefined,
): Promise<WitnessStatus> {
  // A log that is away says so at once, and a subscription to it waits until it is back.
  await log.reach();
  const patience = AbortSignal.timeout(patienceMs);
  const asked = { database: pool, log, witness };
  const answered = async () =>
    witnessStatus(asked, await readBothLedgers(log, witness, patience), state, patience);
  return answered().catch((cause: unknown) => {
    if (cause !== patience.reason) throw cause;
    throw new LogUnavailable(
      'The event log did not tell all its restrictions in time; try again once it answers.',
      { cause },
    );
  });
}

/**
 * How log, witness and what is published stand to each other, all of it compared. `both`: as just read. Rejects with the reason of `signal`.
 * @throws {LogUnavailable} {@link WitnessUnavailable} {@link WitnessRequired}
 */
export async function witnessStatus(
  { database, log, witness }: { database: Pool | ClientBase; log: EventLog; witness: Witness },
  both: BothLedgers,
  state: PublicationState | undefined,
  signal: AbortSignal,
): Promise<WitnessStatus> {
  const shown = await allShown(database, state);
  const agreement = await compareLedgers(both, { log, witness }, shown, signal, EXAMPLES);
  const { witnessed, logged, missing, unwitnessed, onlyShown } = agreement;
  const broken = await witness.firstBroken();
  return {
    epochs: { witness: witnessed, log: logged, readModel: Number(state?.witnessEpoch ?? 0n) },
    unsettled: (await witness.unsettled(ALL_TIMES, 0n, UNSETTLED)).length,
    brokenLine: broken === undefined ? null : Number(broken),
    missing,
    unwitnessed,
    onlyShown,
    setBack: (await detectLogRollback(log, await readOrigin(database), signal)) ?? null,
  };
}

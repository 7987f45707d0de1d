import type { ClientBase, Pool } from 'pg';
import { LogUnavailable } from '../../log/event-log.js';
import type { EventLog } from '../../log/event-log.js';
import { Silence } from '../../log/eventstoredb/silence.js';
import { contentOf, readBothLedgers } from './both-ledgers.js';
import type { BothLedgers } from './both-ledgers.js';
import { confirmedMissing } from './confirmed-missing.js';
import { MOST_TOLD, reasonOf } from './difference.js';
import type { Difference } from './difference.js';
import { appliedAfter, unwitnessedOf } from './incremental-comparison.js';
import type { Accepted, Witness, Witnessed } from '../../witness/witness.js';

/** What was compared longer ago than this is not compared again. */
const SETTLED_MS = 5 * 60_000;
/** For how long the log may tell nothing in the first comparison, which reads all of its restrictions. */
const LONGEST_SILENCE_MS = 120_000;
const PAGE = 1_000;
const ALL_TIMES = Number.MAX_SAFE_INTEGER;

export interface RestrictionCheckOptions {
  readonly witness: Witness;
  readonly log: EventLog;
  /** Milliseconds of a clock that never jumps. */
  readonly monotonic: () => number;
}

/** What is asked: aborts the comparison; where read models say which restrictions they have applied. */
export interface Asked {
  readonly database: Pool | ClientBase;
  /** Undefined: nothing is published, or it has no table of restrictions. */
  readonly schema: string | undefined;
  readonly signal: AbortSignal;
}

/**
 * Compares the witness with the log itself: the first time all of both, later what is new since. Read models are never
 * taken for the log; they only tell numbers that the witness should know. One for each log that was proven to be the same.
 */
export class RestrictionCheck {
  /** Everything up to this number is compared, and final in the witness. */
  private proven: Accepted | undefined;
  private isFirst = true;
  /** The newest number of each comparison of the last minutes. */
  private marks: { readonly at: number; readonly newest: Accepted }[] = [];

  constructor(private readonly options: RestrictionCheckOptions) {}

  /**
   * Why protected reads must be refused, in words for an operator; undefined: log and witness have the same.
   * @throws {WitnessUnavailable} {@link LogUnavailable} and faults of Postgres: nothing is proven.
   */
  async run(asked: Asked): Promise<string | undefined> {
    await this.forgetWhatIsGone();
    const found = this.isFirst ? await this.compareAll(asked) : await this.compareNew(asked);
    return reasonOf(found);
  }

  private async compareAll({ database, schema, signal }: Asked): Promise<readonly Difference[]> {
    const { witness, log } = this.options;
    const bound = await this.oldestUnsettled();
    // A log that is away says so at once; a subscription to it waits until it is back.
    await log.reach();
    const { accepted, logged } = await this.readBoth(signal);
    const found: Difference[] = [];
    const candidates = accepted.filter(({ id }) => !logged.has(id));
    for await (const page of contentOf(witness, candidates, MOST_TOLD)) {
      found.push(...missingOf(await confirmedMissing(log, page, signal)));
      if (found.length >= MOST_TOLD) return found;
    }
    const known = new Set(accepted.map(({ id }) => id));
    const numbers = new Map<string, bigint>();
    for await (const page of appliedAfter(database, schema, 0n))
      for (const [id, epoch] of page) if (!known.has(id)) numbers.set(id, epoch);
    for (const [id, { witnessEpoch }] of logged)
      if (witnessEpoch !== undefined && !known.has(id)) numbers.set(id, BigInt(witnessEpoch));
    found.push(...(await unwitnessedOf(witness, numbers)));
    if (found.length > 0) return found;
    this.isFirst = false;
    this.proven = accepted.findLast(({ epoch }) => bound === undefined || epoch < bound);
    return [];
  }

  /** However much there is to read, as long as it comes. */
  private async readBoth(signal: AbortSignal): Promise<BothLedgers> {
    const { witness, log } = this.options;
    const silence = new Silence(LONGEST_SILENCE_MS);
    try {
      const either = AbortSignal.any([signal, silence.signal]);
      return await readBothLedgers(log, witness, either, () => silence.heard());
    } catch (cause) {
      if (cause !== silence.signal.reason) throw cause;
      throw new LogUnavailable('The event log stopped telling its restrictions.', { cause });
    } finally {
      silence.end();
    }
  }

  private async compareNew({ database, schema, signal }: Asked): Promise<readonly Difference[]> {
    const { witness, log, monotonic } = this.options;
    const at = monotonic();
    const bound = await this.oldestUnsettled();
    const found: Difference[] = [];
    const after = this.proven?.epoch ?? 0n;
    let newest: Accepted | undefined;
    for (let last = after; ;) {
      const page: readonly Witnessed[] = await witness.after(last, PAGE);
      found.push(...missingOf(await confirmedMissing(log, page, signal)));
      const final = page.findLast(({ epoch }) => bound === undefined || epoch < bound);
      if (final) newest = { id: final.restriction.id, epoch: final.epoch, position: final.position };
      last = page.at(-1)?.epoch ?? last;
      if (page.length < PAGE || found.length >= MOST_TOLD) break;
    }
    for await (const page of appliedAfter(database, schema, after))
      found.push(...(await unwitnessedOf(witness, page)));
    if (found.length > 0) return found;
    if (newest) this.marks.push({ at, newest });
    const isOld = (mark: { readonly at: number }) => mark.at <= at - SETTLED_MS;
    this.proven = this.marks.findLast(isOld)?.newest ?? this.proven;
    this.marks = this.marks.filter((mark) => !isOld(mark));
    return [];
  }

  /** The smallest number that is not final in the witness: it may be accepted after greater ones. Undefined: all are. */
  private async oldestUnsettled(): Promise<bigint | undefined> {
    const [unsettled] = await this.options.witness.unsettled(ALL_TIMES, 0n, 1);
    return unsettled?.epoch;
  }

  /** A witness that was set back gives its numbers once more: what was proven of it proves nothing then. */
  private async forgetWhatIsGone(): Promise<void> {
    if (!this.proven) return;
    const { id, epoch } = this.proven;
    if ((await this.options.witness.find([id])).get(id)?.epoch === epoch) return;
    this.proven = undefined;
    this.marks = [];
    this.isFirst = true;
  }
}

const missingOf = (witnessed: readonly Witnessed[]): readonly Difference[] =>
  witnessed.map(({ epoch }) => ({ kind: 'missing', epoch }));

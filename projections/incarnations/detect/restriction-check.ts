import type { ClientBase, Pool } from 'pg';
import { LogUnavailable } from '../../../src/log/event-log.js';
import type { EventLog } from '../../../src/log/event-log.js';
import { SilenceTimer } from '../../../src/log/eventstoredb/silence.js';
import { readRestrictionContent, readBothLedgers } from './read-ledgers.js';
import type { BothLedgers } from './read-ledgers.js';
import { confirmMissing } from './confirmed-missing.js';
import { MAX_REPORTED_DIFFERENCES, describeDifferences } from './difference.js';
import type { LedgerDifference } from './difference.js';
import { appliedAfter, findUnwitnessed } from './incremental-comparison.js';
import type { AcceptedRestriction, Witness, WitnessedRestriction } from '../../../src/log/witness/witness.js';

const RECHECK_MS = 5 * 60_000;
const LONGEST_SILENCE_MS = 120_000;
const PAGE = 1_000;
const ANY_TIME = Number.MAX_SAFE_INTEGER;

export interface RestrictionCheckOptions {
  readonly witness: Witness;
  readonly log: EventLog;
  readonly monotonic: () => number;
}

export interface CheckTarget {
  readonly database: Pool | ClientBase;
  readonly schema: string | undefined;
  readonly signal: AbortSignal;
}

/**
 * Compares the witness with the log: everything the first time, later only newer restrictions. The read models never
 * stand in for the log; they only name restrictions that the witness must know. Another log needs another instance.
 */
export class RestrictionCheck {
  private proven: AcceptedRestriction | undefined;
  private isFirst = true;
  private marks: { readonly at: number; readonly newest: AcceptedRestriction }[] = [];

  constructor(private readonly options: RestrictionCheckOptions) {}

  /**
   * Returns the reason to refuse protected reads, for an operator; undefined if log and witness agree.
   * @throws {WitnessUnavailable} {@link LogUnavailable}; faults of Postgres: nothing is proven.
   */
  async run(request: CheckTarget): Promise<string | undefined> {
    await this.resetIfRolledBack();
    const differences = this.isFirst ? await this.compareAll(request) : await this.compareNew(request);
    return describeDifferences(differences);
  }

  private async compareAll({ database, schema, signal }: CheckTarget): Promise<readonly LedgerDifference[]> {
    const { witness, log } = this.options;
    const oldestInDoubt = await this.oldestEpochInDoubt();
    // Fails at once if the log is down; a subscription would wait for it.
    await log.reach();
    const { accepted, logged } = await this.readBoth(signal);
    const differences: LedgerDifference[] = [];
    const candidates = accepted.filter(({ id }) => !logged.has(id));
    for await (const page of readRestrictionContent(witness, candidates, MAX_REPORTED_DIFFERENCES)) {
      differences.push(...missingOf(await confirmMissing(log, page, signal)));
      if (differences.length >= MAX_REPORTED_DIFFERENCES) return differences;
    }
    const known = new Set(accepted.map(({ id }) => id));
    const epochs = new Map<string, bigint>();
    for await (const page of appliedAfter(database, schema, 0n))
      for (const [id, epoch] of page) if (!known.has(id)) epochs.set(id, epoch);
    for (const [id, { witnessEpoch }] of logged)
      if (witnessEpoch !== undefined && !known.has(id)) epochs.set(id, BigInt(witnessEpoch));
    differences.push(...(await findUnwitnessed(witness, epochs)));
    if (differences.length > 0) return differences;
    this.isFirst = false;
    this.proven = accepted.findLast(({ epoch }) => oldestInDoubt === undefined || epoch < oldestInDoubt);
    return [];
  }

  private async readBoth(signal: AbortSignal): Promise<BothLedgers> {
    const { witness, log } = this.options;
    const silence = new SilenceTimer(LONGEST_SILENCE_MS);
    try {
      const either = AbortSignal.any([signal, silence.signal]);
      return await readBothLedgers(log, witness, either, () => silence.heard());
    } catch (cause) {
      if (cause !== silence.signal.reason) throw cause;
      throw new LogUnavailable('The event log stopped sending its restrictions; the check is retried.', {
        cause,
      });
    } finally {
      silence.end();
    }
  }

  private async compareNew({ database, schema, signal }: CheckTarget): Promise<readonly LedgerDifference[]> {
    const { witness, log, monotonic } = this.options;
    const at = monotonic();
    const oldestInDoubt = await this.oldestEpochInDoubt();
    const differences: LedgerDifference[] = [];
    const after = this.proven?.epoch ?? 0n;
    let newest: AcceptedRestriction | undefined;
    for (let last = after; ;) {
      const page: readonly WitnessedRestriction[] = await witness.after(last, PAGE);
      differences.push(...missingOf(await confirmMissing(log, page, signal)));
      const final = page.findLast(({ epoch }) => oldestInDoubt === undefined || epoch < oldestInDoubt);
      if (final) newest = { id: final.restriction.id, epoch: final.epoch, position: final.position };
      last = page.at(-1)?.epoch ?? last;
      if (page.length < PAGE || differences.length >= MAX_REPORTED_DIFFERENCES) break;
    }
    for await (const page of appliedAfter(database, schema, after))
      differences.push(...(await findUnwitnessed(witness, page)));
    if (differences.length > 0) return differences;
    if (newest) this.marks.push({ at, newest });
    const isOld = (mark: { readonly at: number }) => mark.at <= at - RECHECK_MS;
    this.proven = this.marks.findLast(isOld)?.newest ?? this.proven;
    this.marks = this.marks.filter((mark) => !isOld(mark));
    return [];
  }

  /**
   * Epochs from this one on are checked again: a restriction in doubt may be accepted after others with greater epochs.
   */
  private async oldestEpochInDoubt(): Promise<bigint | undefined> {
    const [unsettled] = await this.options.witness.unsettled(ANY_TIME, 0n, 1);
    return unsettled?.epoch;
  }

  /** Forgets the earlier proof if the witness was rolled back: it then assigns epochs again to other restrictions. */
  private async resetIfRolledBack(): Promise<void> {
    if (!this.proven) return;
    const { id, epoch } = this.proven;
    if ((await this.options.witness.find([id])).get(id)?.epoch === epoch) return;
    this.proven = undefined;
    this.marks = [];
    this.isFirst = true;
  }
}

const missingOf = (witnessed: readonly WitnessedRestriction[]): readonly LedgerDifference[] =>
  witnessed.map(({ epoch }) => ({ kind: 'missing', epoch }));

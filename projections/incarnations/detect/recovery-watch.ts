import type { Pool } from 'pg';
import type { Logger } from 'pino';
import { LogUnavailable } from '../../../src/log/event-log.js';
import type { EventLog } from '../../../src/log/event-log.js';
import { isUnreachable } from '../../../src/base/store/unreachable.js';
import { quarantine } from '../incarnation.js';
import { endsWithin, sleep } from '../../../src/base/support/sleep.js';
import { describeDifferences } from './difference.js';
import { compareAppliedRestrictions } from './incremental-comparison.js';
import { readPublicationState, schemaOfRestrictions } from '../recovery-state.js';
import type { PublicationState } from '../recovery-state.js';
import { RestrictionCheck } from './restriction-check.js';
import { RESTRICTION_CHECK_INTERVAL_MS } from './publication-check.js';
import { readStoreOrigin, detectLogRollback } from './log-rollback.js';
import { WitnessRequired, WitnessUnavailable } from '../../../src/log/witness/witness.js';
import type { Witness } from '../../../src/log/witness/witness.js';

export interface RecoveryWatchOptions {
  readonly pool: Pool;
  readonly log: EventLog;
  readonly witness: Witness;
  readonly hadWitness: boolean;
  readonly logger: Logger;
  readonly monotonic: () => number;
}

const FIRST_CHECK_MS = 3_000;
const RETRY_MS = 500;
const CHECK_RUNNING = 'Startup check running: verifying restrictions.';

/**
 * Proves, in a process that admits reads, that the read models show this log and that it has every
 * restriction of the witness. It checks at the start and each minute, and records a fault as a quarantine for
 * all processes.
 */
export class RecoveryWatch {
  private unproven: string | undefined = CHECK_RUNNING;
  /**
   * When log and witness last agreed while nothing was published, in monotonic milliseconds. Undefined once something
   * is published: if the read store is lost later, the log must be proven anew.
   */
  private logProvenAt: number | undefined;
  private hasWitness = true;
  private isOriginProven = false;
  private isCompared = false;
  private isServedUncompared = false;
  private readonly check: RestrictionCheck;
  private readonly stopping = new AbortController();
  private running: Promise<void> | undefined;

  constructor(private readonly options: RecoveryWatchOptions) {
    this.check = new RestrictionCheck(options);
  }

  async start(): Promise<void> {
    const first = this.runCheck();
    this.running = first.then(() => this.repeat());
    await endsWithin(FIRST_CHECK_MS, first);
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    await this.running;
  }

  /**
   * Returns why reads of a publication with this `witnessEpoch` are refused, for an operator; undefined if
   * they are admitted. Without a witness that ever recorded a restriction, none can be missing.
   */
  unavailableReason(witnessEpoch: bigint | undefined): string | undefined {
    if (witnessEpoch === undefined)
      return this.unproven ?? (this.logProvenAt === undefined ? CHECK_RUNNING : undefined);
    const { hadWitness } = this.options;
    return this.hasWitness || hadWitness || witnessEpoch !== 0n ? this.unproven : undefined;
  }

  /**
   * False: reads are admitted because the read models honor every restriction, but the log has been down
   * since the start.
   */
  get isLogCompared(): boolean {
    return !this.isServedUncompared;
  }

  async reachWitness(): Promise<void> {
    try {
      await this.options.witness.find([]);
    } catch (error) {
      if (!(error instanceof WitnessRequired)) throw error;
    }
  }

  private async repeat(): Promise<void> {
    const { signal } = this.stopping;
    while (!signal.aborted) {
      const isDone = this.unproven === undefined && this.isCompared;
      await sleep(isDone ? RESTRICTION_CHECK_INTERVAL_MS : RETRY_MS, signal);
      if (!signal.aborted) await this.runCheck();
    }
  }

  private async runCheck(): Promise<void> {
    const { logger } = this.options;
    try {
      const isProven = await this.prove();
      if (isProven && this.unproven !== undefined) logger.info('restriction check passed');
      this.unproven = undefined;
    } catch (error) {
      if (this.stopping.signal.aborted) return;
      const reason = reasonOfFault(error);
      this.hasWitness = !(error instanceof WitnessRequired);
      // A fault of a store does not end an earlier proof: no restriction disappears by itself.
      const isRefuted = error instanceof InconsistencyError;
      if ((this.unproven === undefined && !isRefuted) || this.unproven === reason) return;
      this.unproven = reason;
      logger.warn(
        { err: error },
        isRefuted
          ? 'restriction check failed: log, witness and read models disagree'
          : 'restriction check failed: it could not be completed',
      );
    }
  }

  /**
   * Makes one check. Returns false in quarantine: only a recovery ends it, and the recovery proves its own result.
   * @throws {InconsistencyError} and faults of the stores.
   */
  private async prove(): Promise<boolean> {
    const { pool, witness, monotonic } = this.options;
    const state = await readPublicationState(pool);
    if (!state) {
      const { logProvenAt = -RESTRICTION_CHECK_INTERVAL_MS } = this;
      if (monotonic() - logProvenAt >= RESTRICTION_CHECK_INTERVAL_MS) await this.proveLog();
      return true;
    }
    this.logProvenAt = undefined;
    if (state.status === 'quarantined') {
      this.isServedUncompared = false;
      await witness.after(0n, 1);
      return false;
    }
    const reason = await this.reasonToRefuse(state);
    if (reason === undefined) return true;
    await quarantine(pool, state.incarnation, reason);
    throw new InconsistencyError(reason);
  }

  private async proveLog(): Promise<void> {
    const { pool, log, monotonic } = this.options;
    const { signal } = this.stopping;
    // A new check each time: the log may be another one by now.
    const reason =
      (await new RestrictionCheck(this.options).run({ database: pool, schema: undefined, signal })) ??
      (await detectLogRollback(log, await readStoreOrigin(pool), signal));
    if (reason !== undefined) throw new InconsistencyError(reason);
    this.logProvenAt = monotonic();
  }

  /**
   * Returns the reason to refuse reads, after comparing the log with checkpoints and witness. While the log
   * is down at the start, read models with every restriction suffice; the log is compared once it answers.
   */
  private async reasonToRefuse(state: PublicationState): Promise<string | undefined> {
    const { pool, log, witness, logger } = this.options;
    const { signal } = this.stopping;
    const schema = schemaOfRestrictions(state);
    try {
      const rollback = this.isOriginProven
        ? undefined
        : await detectLogRollback(log, await readStoreOrigin(pool), signal);
      this.isOriginProven = rollback === undefined;
      const reason = rollback ?? (await this.check.run({ database: pool, schema, signal }));
      this.isCompared ||= reason === undefined;
      this.isServedUncompared = false;
      return reason;
    } catch (error) {
      if (!(error instanceof LogUnavailable) || this.unproven === undefined) throw error;
      const difference = describeDifferences(
        await compareAppliedRestrictions({ witness, log, database: pool, schema, signal }),
      );
      this.isServedUncompared = difference === undefined;
      if (this.isServedUncompared)
        logger.warn(
          { err: error },
          'event log unreachable; read models show every restriction; serving reads',
        );
      return difference;
    }
  }
}

class InconsistencyError extends Error {
  override readonly name = 'InconsistencyError';
}

/** Returns the message for a fault. Load balancers and unauthenticated clients read it, so it names no internals. */
function reasonOfFault(error: unknown): string {
  if (error instanceof InconsistencyError) return error.message;
  if (error instanceof WitnessRequired)
    return 'The network has a restriction witness, and this process has none configured: set WITNESS_DATABASE_URL.';
  if (error instanceof WitnessUnavailable)
    return 'The restriction witness cannot be reached: missing restrictions cannot be ruled out.';
  if (error instanceof LogUnavailable)
    return 'The event log cannot be reached: restrictions that the read models lack cannot be verified.';
  if (isUnreachable(error)) return 'The read store cannot be reached: its restrictions cannot be verified.';
  return 'The restriction check failed; the log of this process names the cause.';
}

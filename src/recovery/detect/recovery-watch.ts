import { setTimeout as pause } from 'node:timers/promises';
import type { Pool } from 'pg';
import type { Logger } from 'pino';
import { LogUnavailable } from '../../log/event-log.js';
import type { EventLog } from '../../log/event-log.js';
import { isUnreachable } from '../../store/unreachable.js';
import { quarantine } from '../../incarnations/incarnation.js';
import { reasonOf } from './difference.js';
import { shownDifferences } from './incremental-comparison.js';
import { readPublicationState, schemaOfRestrictions } from '../../incarnations/recovery-state.js';
import type { PublicationState } from '../../incarnations/recovery-state.js';
import { RestrictionCheck } from './restriction-check.js';
import { CHECK_EVERY_MS } from './session-proof.js';
import { readOrigin, detectLogRollback } from './log-rollback.js';
import { WitnessRequired, WitnessUnavailable } from '../../witness/witness.js';
import type { Witness } from '../../witness/witness.js';

export interface RecoveryWatchOptions {
  readonly pool: Pool;
  readonly log: EventLog;
  readonly witness: Witness;
  /** Whether the network ever had one, also where this process was told of none. */
  readonly hadWitness: boolean;
  readonly logger: Logger;
  /** Milliseconds of a clock that never jumps. */
  readonly monotonic: () => number;
}

/** How long the start of a process waits for the first look, and how soon it looks again as long as nothing is proven. */
const FIRST_LOOK_MS = 3_000;
const RETRY_MS = 500;
const NOT_YET = 'It is being looked whether restrictions are missing.';

/**
 * Proves in a process that admits reads, at its start and each minute, that what is published shows the log that is
 * there, and that this has all restrictions of the witness. What is wrong is put down as a quarantine, for every process.
 */
export class RecoveryWatch {
  /** Why nothing is proven yet, in words; undefined: it was, since this process started. */
  private unproven: string | undefined = NOT_YET;
  /**
   * When it was last proven of the log itself; undefined: never since something was published. That what is published lacks nothing
   * says nothing of a log without it: a read store may be lost under a process. By the monotonic clock.
   */
  private logProvenAt: number | undefined;
  private isWitnessed = true;
  private isOriginProven = false;
  /** The log itself was compared since this process started. */
  private isCompared = false;
  private isServedUncompared = false;
  private readonly check: RestrictionCheck;
  private readonly stopping = new AbortController();
  private running: Promise<void> | undefined;

  constructor(private readonly options: RecoveryWatchOptions) {
    this.check = new RestrictionCheck(options);
  }

  /** Resolves after the first look, whatever it saw, or when that takes long. */
  async start(): Promise<void> {
    const first = this.look();
    this.running = first.then(() => this.goOn());
    await Promise.race([first, pause(FIRST_LOOK_MS, undefined, { ref: false })]);
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    await this.running;
  }

  /**
   * Why nobody may be shown what has applied so many restrictions (undefined: nothing is published), in words for an operator;
   * undefined: they may. Without a witness nothing can be missing as long as there never was one that was asked for anything.
   */
  unprovenFor(witnessEpoch: bigint | undefined): string | undefined {
    if (witnessEpoch === undefined)
      return this.unproven ?? (this.logProvenAt === undefined ? NOT_YET : undefined);
    const { hadWitness } = this.options;
    return this.isWitnessed || hadWitness || witnessEpoch !== 0n ? this.unproven : undefined;
  }

  /** False: reads are admitted since the read models show every restriction, and the log was away since this process started. */
  get isLogCompared(): boolean {
    return !this.isServedUncompared;
  }

  /** Resolves if the witness answers, or none is configured. @throws {WitnessUnavailable} */
  async reachWitness(): Promise<void> {
    try {
      await this.options.witness.find([]);
    } catch (error) {
      if (!(error instanceof WitnessRequired)) throw error;
    }
  }

  private async goOn(): Promise<void> {
    const { signal } = this.stopping;
    while (!signal.aborted) {
      const isDone = this.unproven === undefined && this.isCompared;
      await pause(isDone ? CHECK_EVERY_MS : RETRY_MS, undefined, { signal }).catch(() => undefined);
      if (!signal.aborted) await this.look();
    }
  }

  /** Never rejects: what cannot be asked is asked again. */
  private async look(): Promise<void> {
    const { logger } = this.options;
    try {
      const isProven = await this.prove();
      if (isProven && this.unproven !== undefined) logger.info('it is proven that no restriction is missing');
      this.unproven = undefined;
    } catch (error) {
      // Cut off by a stop, it says nothing of the log.
      if (this.stopping.signal.aborted) return;
      const reason = faultOf(error);
      this.isWitnessed = !(error instanceof WitnessRequired);
      // Who was admitted by a proof goes on where nobody can tell: nothing goes missing by itself.
      const isRefuted = error instanceof Lacking;
      if ((this.unproven === undefined && !isRefuted) || this.unproven === reason) return;
      this.unproven = reason;
      logger.warn(
        { err: error },
        'it cannot be proven that no restriction is missing; reads, writes and sign-ins are refused',
      );
    }
  }

  /**
   * False: it is in quarantine, out of which nothing leads but a recovery, and that proves what it publishes. Rejects where
   * nothing is proven, or the contrary is.
   */
  private async prove(): Promise<boolean> {
    const { pool, witness, monotonic } = this.options;
    const state = await readPublicationState(pool);
    if (!state) {
      // Whoever publishes proves it before; who may act is derived from the log already.
      const { logProvenAt = -CHECK_EVERY_MS } = this;
      if (monotonic() - logProvenAt >= CHECK_EVERY_MS) await this.proveLog();
      return true;
    }
    this.logProvenAt = undefined;
    if (state.status === 'quarantined') {
      this.isServedUncompared = false;
      await witness.after(0n, 1);
      return false;
    }
    const reason = await this.lackOf(state);
    if (reason === undefined) return true;
    await quarantine(pool, state.incarnation, reason);
    throw new Lacking(reason);
  }

  /** @throws {Lacking} the log lacks what the witness has, or the other way round: it was set back, and its silence proves nothing. */
  private async proveLog(): Promise<void> {
    const { pool, log, monotonic } = this.options;
    const { signal } = this.stopping;
    // Anew each time: it may be another log by now.
    const reason =
      (await new RestrictionCheck(this.options).run({ database: pool, schema: undefined, signal })) ??
      (await detectLogRollback(log, await readOrigin(pool), signal));
    if (reason !== undefined) throw new Lacking(reason);
    this.logProvenAt = monotonic();
  }

  /**
   * Why what is published must not be read: the log itself was compared with its checkpoints and with the witness. While
   * the log is away, read models that show every restriction of the witness are enough for a start, since nothing can be
   * shown again that was gone; the log is compared as soon as it answers.
   */
  private async lackOf(state: PublicationState): Promise<string | undefined> {
    const { pool, log, witness, logger } = this.options;
    const { signal } = this.stopping;
    const schema = schemaOfRestrictions(state);
    try {
      const setBack = this.isOriginProven
        ? undefined
        : await detectLogRollback(log, await readOrigin(pool), signal);
      this.isOriginProven = setBack === undefined;
      const reason = setBack ?? (await this.check.run({ database: pool, schema, signal }));
      this.isCompared ||= reason === undefined;
      this.isServedUncompared = false;
      return reason;
    } catch (error) {
      if (!(error instanceof LogUnavailable) || this.unproven === undefined) throw error;
      const differs = reasonOf(await shownDifferences({ witness, log, database: pool, schema, signal }));
      this.isServedUncompared = differs === undefined;
      if (this.isServedUncompared)
        logger.warn(
          { err: error },
          'event log unreachable; read models show every restriction; serving reads',
        );
      return differs;
    }
  }
}

/** What is found is not only unproven, but refuted. */
class Lacking extends Error {
  override readonly name = 'Lacking';
}

/** Nothing that a stranger must not read: it is shown where load balancers ask. */
function faultOf(error: unknown): string {
  if (error instanceof Lacking) return error.message;
  if (error instanceof WitnessRequired)
    return 'The network has a witness of what was taken away, and this process was not told where (WITNESS_DATABASE_URL).';
  if (error instanceof WitnessUnavailable)
    return 'The restriction witness cannot be reached, so nobody knows whether restrictions are missing.';
  if (error instanceof LogUnavailable)
    return 'The log cannot be asked for restrictions that the read models do not show.';
  if (isUnreachable(error)) return 'The read store cannot be asked which restrictions it shows.';
  return 'It failed to look whether restrictions are missing; the log of this process says why.';
}

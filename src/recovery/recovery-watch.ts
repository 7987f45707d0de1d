import { setTimeout as pause } from 'node:timers/promises';
import type { Pool } from 'pg';
import type { Logger } from 'pino';
import { LogUnavailable } from '../log/event-log.js';
import type { EventLog } from '../log/event-log.js';
import type { StoredEvent } from '../log/registry.js';
import { isUnreachable } from '../store/unreachable.js';
import { quarantine } from './incarnation.js';
import { agreementOf } from './lost-restrictions.js';
import { originOf, readRecoveryState, schemaOfRestrictions } from './recovery-state.js';
import type { RecoveryState } from './recovery-state.js';
import { RestrictionCheck } from './restriction-check.js';
import { CHECK_EVERY_MS } from './session-proof.js';
import { setBackOf } from './set-back.js';
import { WitnessRequired, WitnessUnavailable } from './witness/witness.js';
import type { Witness } from './witness/witness.js';

export interface RecoveryWatchOptions {
  readonly pool: Pool;
  readonly log: EventLog;
  readonly witness: Witness;
  /** Whether the network ever had one, also where this process was told of none. */
  readonly hadWitness: boolean;
  /** Of the events that the published read models come from. */
  readonly types: readonly StoredEvent['type'][];
  readonly logger: Logger;
  /** Unix milliseconds. */
  readonly now: () => number;
}

/** How long the start of a process waits for the first look, and how soon it looks again as long as nothing is proven. */
const FIRST_LOOK_MS = 3_000;
const RETRY_MS = 500;
const PROOF_MS = 2_000;
/** Of the whole log, all of whose restrictions are read. */
const LOG_PROOF_MS = 120_000;
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
   * says nothing of a log without it: a read store may be lost under a process. Unix milliseconds.
   */
  private logProvenAt: number | undefined;
  private isWitnessed = true;
  private isOriginProven = false;
  private readonly check: RestrictionCheck;
  private readonly stopping = new AbortController();
  private running: Promise<void> | undefined;

  constructor(private readonly options: RecoveryWatchOptions) {
    this.check = new RestrictionCheck(options.witness, options.log);
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
      const isDone = this.unproven === undefined && this.isOriginProven;
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
    const { pool, witness, now } = this.options;
    const state = await readRecoveryState(pool);
    if (!state) {
      // Whoever publishes proves it before; who may act is derived from the log already.
      const { logProvenAt = -CHECK_EVERY_MS } = this;
      if (now() - logProvenAt >= CHECK_EVERY_MS) await this.proveLog();
      return true;
    }
    this.logProvenAt = undefined;
    if (state.status === 'quarantined') {
      await witness.after(0n, 1);
      return false;
    }
    const reason =
      (await this.setBack(state)) ?? (await this.check.run(pool, schemaOfRestrictions(state), now()));
    if (reason === undefined) return true;
    await quarantine(pool, state.incarnation, reason);
    throw new Lacking(reason);
  }

  /** @throws {Lacking} the log lacks what the witness has, or the other way round: it was set back, and its silence proves nothing. */
  private async proveLog(): Promise<void> {
    const { log, witness, now } = this.options;
    // A log that is away says so at once, and a subscription to it waits until it is back.
    await log.head();
    const signal = AbortSignal.any([this.stopping.signal, AbortSignal.timeout(LOG_PROOF_MS)]);
    const { missing, unwitnessed } = await agreementOf(log, witness, [], signal, 1);
    const [first] = missing.first;
    if (first)
      throw new Lacking(
        `The log lacks restrictions that the witness has accepted: ${missing.count}, of which number ${first.epoch} is the first.`,
      );
    if (unwitnessed > 0)
      throw new Lacking(`The witness lacks restrictions that the log has: ${unwitnessed}; it was set back.`);
    this.logProvenAt = now();
  }

  /**
   * A log that is away says nothing against read models that show every restriction of the witness: it is asked again.
   * The worker asks it at every connection; here it is asked once, for a start without one.
   */
  private async setBack(state: RecoveryState): Promise<string | undefined> {
    if (this.isOriginProven) return undefined;
    const { log, types } = this.options;
    const signal = AbortSignal.any([this.stopping.signal, AbortSignal.timeout(PROOF_MS)]);
    try {
      const reason = await setBackOf(log, originOf(state), types, signal);
      this.isOriginProven = true;
      return reason;
    } catch (error) {
      if (!(error instanceof LogUnavailable) && error !== signal.reason) throw error;
      return undefined;
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

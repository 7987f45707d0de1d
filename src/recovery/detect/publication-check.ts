import type { ClientBase } from 'pg';
import type { Logger } from 'pino';
import { LogUnavailable } from '../../log/event-log.js';
import type { EventLog } from '../../log/event-log.js';
import { RestrictionCheck } from './restriction-check.js';
import { WitnessUnavailable } from '../../witness/witness.js';
import type { Witness } from '../../witness/witness.js';

export const CHECK_INTERVAL_MS = 60_000;

export interface ProofOptions {
  readonly log: EventLog;
  readonly witness?: Witness | undefined;
  readonly logger: Logger;
  /** Never jumps: a wall clock that is set forward and back would suspend the check for that long. */
  readonly monotonic: () => number;
}

/**
 * Compares publications with the witness during one session of a worker: periodically, and before each
 * publication.
 */
export class PublicationCheck {
  private readonly check: RestrictionCheck | undefined;
  private nextAt = -Infinity;
  private hasWarned = false;

  constructor(
    private readonly options: ProofOptions,
    private readonly signal: AbortSignal,
  ) {
    const { witness, log, monotonic } = options;
    this.check = witness && new RestrictionCheck({ witness, log, monotonic });
  }

  /**
   * Returns the reason to quarantine the publication, when a check is due. Undefined also without an answer:
   * an earlier proof stays valid, and a fresh process admits nobody by itself.
   */
  async checkIfDue(client: ClientBase, schema: string | undefined): Promise<string | undefined> {
    const { monotonic } = this.options;
    if (monotonic() < this.nextAt) return undefined;
    this.nextAt = monotonic() + CHECK_INTERVAL_MS;
    const result = await this.runCheck(client, schema);
    return result === 'unknown' ? undefined : result.lacks;
  }

  checkBeforePublication(
    client: ClientBase,
    schema: string,
  ): Promise<'unknown' | { readonly lacks: string | undefined }> {
    return this.runCheck(client, schema);
  }

  private async runCheck(database: ClientBase, schema: string | undefined) {
    try {
      const lacks = await this.check?.run({ database, schema, signal: this.signal });
      this.hasWarned = false;
      return { lacks };
    } catch (error) {
      if (!(error instanceof WitnessUnavailable) && !(error instanceof LogUnavailable)) throw error;
      if (!this.hasWarned) this.options.logger.warn({ err: error }, 'restriction check failed; retrying');
      this.hasWarned = true;
      return 'unknown' as const;
    }
  }
}

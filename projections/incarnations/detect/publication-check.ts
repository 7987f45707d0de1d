import type { ClientBase } from 'pg';
import type { Logger } from 'pino';
import { LogUnavailable } from '../../../src/log/event-log.js';
import type { EventLog } from '../../../src/log/event-log.js';
import { RestrictionCheck } from './restriction-check.js';
import { WitnessUnavailable } from '../../../src/log/witness/witness.js';
import type { Witness } from '../../../src/log/witness/witness.js';

export const RESTRICTION_CHECK_INTERVAL_MS = 60_000;

export interface PublicationCheckOptions {
  readonly log: EventLog;
  readonly witness?: Witness | undefined;
  readonly logger: Logger;
  /** Milliseconds of a clock that is never set: a wall clock that jumps backwards would suspend the check for that long. */
  readonly monotonic: () => number;
}

/**
 * Checks during one session of a worker that the log has each restriction that the witness accepted: every minute, and
 * before a publication.
 */
export class PublicationCheck {
  private readonly check: RestrictionCheck | undefined;
  private nextAt = -Infinity;
  private hasWarned = false;

  constructor(
    private readonly options: PublicationCheckOptions,
    private readonly signal: AbortSignal,
  ) {
    const { witness, log, monotonic } = options;
    this.check = witness && new RestrictionCheck({ witness, log, monotonic });
  }

  /**
   * Runs the check if it is due, and returns a reason to quarantine the publication. Undefined also while log or
   * witness does not answer: an earlier proof stays valid, and a new API process admits nobody before a check of its
   * own.
   */
  async checkIfDue(client: ClientBase, schema: string | undefined): Promise<string | undefined> {
    const { monotonic } = this.options;
    if (monotonic() < this.nextAt) return undefined;
    this.nextAt = monotonic() + RESTRICTION_CHECK_INTERVAL_MS;
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
      if (!this.hasWarned)
        this.options.logger.warn(
          { err: error },
          'cannot check for missing restrictions: witness or event log unreachable; retrying',
        );
      this.hasWarned = true;
      return 'unknown' as const;
    }
  }
}

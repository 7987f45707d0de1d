import type { ClientBase } from 'pg';
import type { Logger } from 'pino';
import { LogUnavailable } from '../../log/event-log.js';
import type { EventLog } from '../../log/event-log.js';
import { RestrictionCheck } from './restriction-check.js';
import { WitnessUnavailable } from '../../witness/witness.js';
import type { Witness } from '../../witness/witness.js';

/** How often what is published is compared with the witness while nothing happens. */
export const CHECK_EVERY_MS = 60_000;

export interface ProofOptions {
  readonly log: EventLog;
  readonly witness?: Witness | undefined;
  readonly logger: Logger;
  /** Milliseconds of a clock that never jumps: one that is set ahead and back would silence the check for as long. */
  readonly monotonic: () => number;
}

/** What a worker asks the witness in one session: of what is published now and then, and before it publishes anything. */
export class SessionProof {
  private readonly check: RestrictionCheck | undefined;
  private nextAt = -Infinity;
  private hasComplained = false;

  /** `signal`: aborts when the session ends. */
  constructor(
    private readonly options: ProofOptions,
    private readonly signal: AbortSignal,
  ) {
    const { witness, log, monotonic } = options;
    this.check = witness && new RestrictionCheck({ witness, log, monotonic });
  }

  /**
   * Why what is published must not be read, if it is time to ask again. Undefined: nothing is missing, or nobody can
   * tell: who was admitted by a proof goes on, and who starts without one lets nobody in by itself.
   */
  async again(client: ClientBase, schema: string | undefined): Promise<string | undefined> {
    const { monotonic } = this.options;
    if (monotonic() < this.nextAt) return undefined;
    this.nextAt = monotonic() + CHECK_EVERY_MS;
    const asked = await this.ask(client, schema);
    return asked === 'unknown' ? undefined : asked.lacks;
  }

  /** What is missing in something that nobody reads yet. `unknown`: ask later, and do not publish it meanwhile. */
  before(client: ClientBase, schema: string): Promise<'unknown' | { readonly lacks: string | undefined }> {
    return this.ask(client, schema);
  }

  private async ask(database: ClientBase, schema: string | undefined) {
    try {
      const lacks = await this.check?.run({ database, schema, signal: this.signal });
      this.hasComplained = false;
      return { lacks };
    } catch (error) {
      if (!(error instanceof WitnessUnavailable) && !(error instanceof LogUnavailable)) throw error;
      if (!this.hasComplained)
        this.options.logger.warn({ err: error }, 'it cannot be proven that no restriction is missing');
      this.hasComplained = true;
      return 'unknown' as const;
    }
  }
}

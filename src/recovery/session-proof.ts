import type { ClientBase } from 'pg';
import type { Logger } from 'pino';
import { LogUnavailable } from '../log/event-log.js';
import type { EventLog } from '../log/event-log.js';
import { RestrictionCheck } from './restriction-check.js';
import { WitnessUnavailable } from './witness/witness.js';
import type { Witness } from './witness/witness.js';

/** How often what is published is compared with the witness while nothing happens. */
export const CHECK_EVERY_MS = 60_000;

export interface ProofOptions {
  readonly log: EventLog;
  readonly witness?: Witness | undefined;
  readonly logger: Logger;
  /** Unix milliseconds. */
  readonly now: () => number;
}

/** What a worker asks the witness in one session: of what is published now and then, and before it publishes anything. */
export class SessionProof {
  private readonly check: RestrictionCheck | undefined;
  private nextAt = 0;
  private hasComplained = false;

  constructor(private readonly options: ProofOptions) {
    const { witness, log } = options;
    this.check = witness && new RestrictionCheck(witness, log);
  }

  /**
   * Why what is published must not be read, if it is time to ask again. Undefined: nothing is missing, or nobody can
   * tell: who was admitted by a proof goes on, and who starts without one lets nobody in by itself.
   */
  async again(client: ClientBase, schema: string | undefined): Promise<string | undefined> {
    const { now } = this.options;
    if (now() < this.nextAt) return undefined;
    this.nextAt = now() + CHECK_EVERY_MS;
    const asked = await this.ask(client, schema);
    return asked === 'unknown' ? undefined : asked.lacks;
  }

  /** What is missing in something that nobody reads yet. `unknown`: ask later, and do not publish it meanwhile. */
  before(client: ClientBase, schema: string): Promise<'unknown' | { readonly lacks: string | undefined }> {
    return this.ask(client, schema);
  }

  private async ask(client: ClientBase, schema: string | undefined) {
    try {
      const lacks = await this.check?.run(client, schema, this.options.now());
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

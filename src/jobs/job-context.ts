import type { Client, ClientBase } from 'pg';
import type { Logger } from 'pino';
import type { Group } from '../../projections/runner/projection.js';
import type { EventLog } from '../log/event-log.js';
import type { Witness } from '../witness/witness.js';
import type { JobProgress } from './job.js';

/** What workers do jobs with. */
export interface JobTools {
  /** Every read model that answers reads. */
  readonly group: Group;
  /** Those with tables of their own, which outlive incarnations. */
  readonly fixedGroups: readonly Group[];
  readonly log: EventLog;
  readonly databaseUrl: string;
  readonly witness: Witness;
  readonly logger: Logger;
  /** New random values: UUIDs of events and requests; of an incarnation of `[a-z0-9]`. */
  readonly ids: { uuid(): string; incarnation(): string };
  /** Unix milliseconds. */
  readonly now: () => number;
  /** Milliseconds of a clock that never jumps. */
  readonly monotonic: () => number;
}

/** What one job in work is given besides. */
export interface JobContext extends JobTools {
  /** For what is put down about the job; what it reads and writes has connections of its own. */
  readonly client: Client;
  /**
   * Aborts when the job is paused, or the worker stops: what is done so far must be good to go on from. Also when it is
   * to end, since it has to give way.
   */
  readonly signal: AbortSignal;
  /** Tells how far it is. What is told is noted now and then. */
  readonly report: (progress: JobProgress) => void;
  /** Tells what the job is to take the place of: it ends as soon as that is not what reads are admitted to. */
  readonly takesPlaceOf: (incarnation: string) => void;
  /**
   * Puts down that the job is done, what came of it in words, and how far it came: by default what was reported last. To be
   * called in the transaction, on its client, that publishes, if anything is. @throws {JobFault} it is over already.
   */
  readonly conclude: (database: ClientBase, said: string, progress?: JobProgress) => Promise<void>;
}

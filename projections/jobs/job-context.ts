import type { Client, ClientBase } from 'pg';
import type { Logger } from 'pino';
import type { Group } from '../runner/projection.js';
import type { EventLog } from '../../src/log/event-log.js';
import type { Witness } from '../../src/log/witness/witness.js';
import type { JobProgress } from './job.js';

export interface JobTools {
  readonly group: Group;
  /** Groups whose tables belong to no incarnation: audit and authority. */
  readonly fixedGroups: readonly Group[];
  readonly log: EventLog;
  readonly databaseUrl: string;
  readonly witness: Witness;
  readonly logger: Logger;
  readonly ids: { uuid(): string; incarnation(): string };
  /** Unix milliseconds; `monotonic`: milliseconds of a clock that never jumps. */
  readonly now: () => number;
  readonly monotonic: () => number;
}

export interface JobContext extends JobTools {
  /**
   * Connection on which the job runner records the state of the job. The job opens connections of its own for its
   * data.
   */
  readonly client: Client;
  /**
   * Aborts when the job is paused or preempted, or when the worker stops or loses its database session. A later run
   * of the job must be able to continue from the work done by then.
   */
  readonly signal: AbortSignal;
  readonly report: (progress: JobProgress) => void;
  /**
   * Tells the runner which published incarnation this job replaces. If another one is published meanwhile, the job
   * fails.
   */
  readonly takesPlaceOf: (incarnation: string) => void;
  /**
   * Records that the job succeeded, with this message for an operator. `progress`: by default the last reported one.
   * Call it on the client, and in the transaction, that publishes the result.
   * @throws {JobError} the job is over already.
   */
  readonly conclude: (database: ClientBase, said: string, progress?: JobProgress) => Promise<void>;
}

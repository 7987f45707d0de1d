import type { Client, ClientBase } from 'pg';
import type { Logger } from 'pino';
import type { Group } from '../../projections/runner/projection.js';
import type { EventLog } from '../log/event-log.js';
import type { Witness } from '../witness/witness.js';
import type { JobProgress } from './job.js';

export interface JobTools {
  readonly group: Group;
  /**
   * Groups with tables of their own, which outlive incarnations. Below, `now` is in Unix milliseconds;
   * `monotonic` in milliseconds of a clock that never jumps.
   */
  readonly fixedGroups: readonly Group[];
  readonly log: EventLog;
  readonly databaseUrl: string;
  readonly witness: Witness;
  readonly logger: Logger;
  readonly ids: { uuid(): string; incarnation(): string };
  readonly now: () => number;
  readonly monotonic: () => number;
}

export interface JobContext extends JobTools {
  /** Records the state of the job. The job reads and writes over connections of its own. */
  readonly client: Client;
  /** Aborts when the job is paused or preempted, or the worker stops. The work done by then must be resumable. */
  readonly signal: AbortSignal;
  readonly report: (progress: JobProgress) => void;
  /** Names the publication to replace. The job ends as soon as reads are admitted to another one. */
  readonly takesPlaceOf: (incarnation: string) => void;
  /**
   * Records the outcome of the job, with the last reported progress by default. Call it in the publishing
   * transaction, on its client.
   * @throws {JobError} the job is over already.
   */
  readonly conclude: (database: ClientBase, said: string, progress?: JobProgress) => Promise<void>;
}

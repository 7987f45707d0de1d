import type { Pool } from 'pg';
import { sleep } from '../../base/support/sleep.js';
import { JobError } from '../../../projections/jobs/job-error.js';
import { preemptionReason } from './preemption.js';
import { recordJobProgress } from '../../../projections/jobs/job.js';
import type { Job, JobProgress } from '../../../projections/jobs/job.js';

const INTERVAL_MS = 500;

export class JobWatch {
  private readonly stopping = new AbortController();
  private replaced: string | undefined;
  latest: JobProgress;

  constructor(
    private readonly job: Job,
    /**
     * A pool of its own: the record of progress must neither wait for the statements of the job nor be rolled back
     * with its transactions.
     */
    private readonly database: Pool,
    private readonly now: () => number,
  ) {
    this.latest = job;
  }

  /**
   * Aborts when the job is paused; with a {@link JobError} as reason when the job must end for another job or
   * publication.
   */
  get stopped(): AbortSignal {
    return this.stopping.signal;
  }

  takesPlaceOf(incarnation: string): void {
    this.replaced = incarnation;
  }

  async run(ended: AbortSignal): Promise<void> {
    const signal = AbortSignal.any([ended, this.stopped]);
    while (!signal.aborted) {
      await sleep(INTERVAL_MS, signal);
      if (!signal.aborted) await this.look();
    }
  }

  async look(): Promise<void> {
    const { job, database, latest, now } = this;
    const isOpen = await recordJobProgress(database, job.id, latest, now()).catch(() => true);
    if (!isOpen) this.stopping.abort(new Error('the job was paused'));
    if (job.kind === 'recover') return;
    const reason = await preemptionReason(database, job.id, this.replaced).catch(() => undefined);
    if (reason !== undefined) this.stopping.abort(new JobError(reason));
  }
}

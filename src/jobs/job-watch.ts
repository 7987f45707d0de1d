import { setTimeout as pause } from 'node:timers/promises';
import type { Pool } from 'pg';
import { JobError } from './job-error.js';
import { preemptionReason } from './preemption.js';
import { noteProgress } from './job.js';
import type { Job, JobProgress } from './job.js';

const EVERY_MS = 500;

/** Looks after a job in work: puts down now and then how far it is, and finds out whether it is to stop. */
export class JobWatch {
  private readonly stopping = new AbortController();
  private instead: string | undefined;
  /** How far it is. */
  latest: JobProgress;

  constructor(
    private readonly job: Job,
    /** One of its own: what is noted must not wait for what the job does, nor be part of its transactions. */
    private readonly database: Pool,
    /** Unix milliseconds. */
    private readonly now: () => number,
  ) {
    this.latest = job;
  }

  /** Aborts when the job was paused; or with a {@link JobError} that says why it can come to no good end any more. */
  get stopped(): AbortSignal {
    return this.stopping.signal;
  }

  /** From now on the job ends as soon as something else than this incarnation is what reads are admitted to. */
  takesPlaceOf(incarnation: string): void {
    this.instead = incarnation;
  }

  /** Resolves when `ended` aborts, or the job is to stop. */
  async run(ended: AbortSignal): Promise<void> {
    const signal = AbortSignal.any([ended, this.stopped]);
    while (!signal.aborted) {
      await pause(EVERY_MS, undefined, { signal }).catch(() => undefined);
      if (!signal.aborted) await this.look();
    }
  }

  /** Never rejects: what cannot be asked now is asked again. */
  async look(): Promise<void> {
    const { job, database, latest, now } = this;
    const isOpen = await noteProgress(database, job.id, latest, now()).catch(() => true);
    if (!isOpen) this.stopping.abort(new Error('the job was paused'));
    if (job.kind === 'recover') return;
    const why = await preemptionReason(database, job.id, this.instead).catch(() => undefined);
    if (why !== undefined) this.stopping.abort(new JobError(why));
  }
}

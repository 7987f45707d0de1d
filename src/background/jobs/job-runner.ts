import type { Client, Pool } from 'pg';
import { ProjectionStoppedError, messageOf, VersionTooOldError } from '../../../projections/runner/faults.js';
import { LogReplaced, WrongExpectedRevision } from '../../log/event-log.js';
import { storePool } from '../../base/store/store-client.js';
import { sleep } from '../../base/support/sleep.js';
import { isOutage } from '../../log/witness/outage.js';
import type { JobContext, JobTools } from '../../../projections/jobs/job-context.js';
import { JobError } from '../../../projections/jobs/job-error.js';
import { RETIRED_INCARNATION_KEPT_MS } from '../../../projections/incarnations/rollback-grace.js';
import { dropObsoleteIncarnations } from '../../../projections/incarnations/housekeeping.js';
import { dropUnlessPublishedOrRetired } from '../../../projections/incarnations/incarnation-of-job.js';
import {
  concludeJob,
  findJob,
  moveJob,
  nextRunnableJob,
  runnableStates,
} from '../../../projections/jobs/job.js';
import type { Job, JobKind } from '../../../projections/jobs/job.js';
import { ExclusiveTask, RETRY_MS } from '../exclusive-task.js';
import { JobWatch } from './job-watch.js';
import { rebuild } from '../../../projections/incarnations/rebuild.js';
import { recover } from '../../recovery/apply/recover.js';
import { rollback } from '../../../projections/incarnations/rollback.js';

const HOUSEKEEPING_MS = 10_000;
const PROGRESS_POOL = {
  application_name: 'plaza-jobs',
  max: 1,
  connectionTimeoutMillis: 5_000,
  query_timeout: 5_000,
  keepAlive: true,
};

const runners: { readonly [Kind in JobKind]: (job: Job, context: JobContext) => Promise<string> } = {
  rebuild,
  recover,
  rollback,
};

export interface JobRunnerOptions extends JobTools {
  readonly graceMs?: number;
}

/** Runs the jobs that operators requested, one at a time, and drops incarnations that are no longer needed. */
export class JobRunner extends ExclusiveTask {
  protected override readonly lock = 'plaza/jobs';
  protected override readonly subject = 'jobs';
  private readonly progressPool: Pool;
  private cleanedUpAt = -Infinity;

  constructor(private readonly options: JobRunnerOptions) {
    const { databaseUrl, logger } = options;
    super(RETRY_MS, { lockUrl: databaseUrl, logger });
    this.progressPool = storePool({ ...PROGRESS_POOL, connectionString: databaseUrl });
  }

  override async run(stop: AbortSignal): Promise<void> {
    await super.run(stop);
    await this.progressPool.end();
  }

  protected override work(client: Client, signal: AbortSignal): Promise<void> {
    return this.repeat(async () => {
      await this.dropObsolete(client);
      const job = await nextRunnableJob(client);
      if (job) await this.runJob(job, client, signal);
      return job !== undefined;
    }, signal);
  }

  private async runJob(job: Job, client: Client, session: AbortSignal): Promise<void> {
    const { logger, now } = this.options;
    const database = this.progressPool;
    if (job.state === 'requested' && !(await moveJob(database, job.id, ['requested'], 'running', now())))
      return;
    logger.info({ job: job.id, kind: job.kind, resumed: job.state !== 'requested' }, 'running a job');
    const watch = new JobWatch(job, database, now);
    const { stopped } = watch;
    stopped.addEventListener('abort', () =>
      logger.info({ job: job.id, reason: messageOf(stopped.reason) }, 'stopping a job'),
    );
    await watch.look();
    const ended = new AbortController();
    const watching = watch.run(AbortSignal.any([ended.signal, session]));
    const signal = AbortSignal.any([session, stopped]);
    try {
      signal.throwIfAborted();
      const summary = await runners[job.kind](job, {
        ...this.options,
        client,
        signal,
        report: (progress) => void (watch.latest = progress),
        takesPlaceOf: (incarnation) => watch.takesPlaceOf(incarnation),
        conclude: async (concluding, message, progress = watch.latest) => {
          if (!(await concludeJob(concluding, job.id, message, progress, now())))
            throw new JobError(
              'The job was already over when it tried to publish its result: nothing was published. See plaza recovery status.',
            );
        },
      });
      logger.info({ job: job.id }, summary);
    } catch (error) {
      if (!signal.aborted) await this.handleFault(job, client, error);
      else if (signal.reason instanceof JobError) await this.handleFault(job, client, signal.reason);
    } finally {
      ended.abort();
      await watching;
    }
  }

  private async handleFault(job: Job, client: Client, error: unknown): Promise<void> {
    const { logger, now } = this.options;
    if (error instanceof WrongExpectedRevision || isOutage(error)) {
      const message = `waiting: ${messageOf(error)}`;
      await moveJob(client, job.id, runnableStates, 'running', now(), message);
      await sleep(RETRY_MS);
      return;
    }
    const isExpected = [JobError, LogReplaced, ProjectionStoppedError, VersionTooOldError].some(
      (kind) => error instanceof kind,
    );
    const message = isExpected
      ? messageOf(error)
      : `Unexpected fault; report it with the worker's log: ${messageOf(error)}`;
    // A job paused meanwhile keeps its build for the resumption. A published one lost only the confirmation.
    const hasFailed = await moveJob(client, job.id, runnableStates, 'failed', now(), message);
    logger.error(
      { err: error, job: job.id },
      hasFailed
        ? 'job failed'
        : 'error in a job that was paused or had published its result meanwhile; its state stays',
    );
    if (!hasFailed) return;
    const { incarnation } = (await findJob(client, job.id)) ?? job;
    if (incarnation !== null && job.kind !== 'rollback')
      await dropUnlessPublishedOrRetired(incarnation, { client });
  }

  private async dropObsolete(client: Client): Promise<void> {
    const { now, monotonic, graceMs = RETIRED_INCARNATION_KEPT_MS, logger, group } = this.options;
    if (monotonic() - this.cleanedUpAt < Math.min(HOUSEKEEPING_MS, graceMs)) return;
    this.cleanedUpAt = monotonic();
    await dropObsoleteIncarnations(client, {
      groupName: group.name,
      before: new Date(now() - graceMs),
      logger,
    });
  }
}

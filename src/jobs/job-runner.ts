import { setTimeout as pause } from 'node:timers/promises';
import { Pool } from 'pg';
import type { Client } from 'pg';
import { ProjectionStoppedError, messageOf, VersionTooOldError } from '../../projections/runner/faults.js';
import { WorkerConnection } from '../../projections/runner/worker-connection.js';
import { LogReplaced, LogUnavailable, WrongExpectedRevision } from '../log/event-log.js';
import { isUnreachable } from '../store/unreachable.js';
import { WitnessUnavailable } from '../witness/witness.js';
import type { JobContext, JobTools } from './job-context.js';
import { JobError } from './job-error.js';
import { GRACE_MS } from '../incarnations/rollback-grace.js';
import { dropSuperfluous } from '../incarnations/housekeeping.js';
import { dropUnpublished } from '../incarnations/incarnation-of-job.js';
import { concludeJob, findJob, moveJob, nextJob, openStates } from './job.js';
import type { Job, JobKind } from './job.js';
import { JobWatch } from './job-watch.js';
import { rebuild } from '../incarnations/rebuild.js';
import { recover } from '../recovery/apply/recover.js';
import { rollback } from '../incarnations/rollback.js';

const POLL_MS = 500;
const RETRY_MS = 1_000;
const HOUSEKEEPING_MS = 10_000;
/** A server that is frozen or gone without a word holds no job up. */
const NOTES = {
  application_name: 'plaza-jobs',
  max: 1,
  connectionTimeoutMillis: 5_000,
  query_timeout: 5_000,
  keepAlive: true,
};

const works: { readonly [Kind in JobKind]: (job: Job, context: JobContext) => Promise<string> } = {
  rebuild,
  recover,
  rollback,
};

export interface JobRunnerOptions extends JobTools {
  readonly graceMs?: number;
}

/**
 * Does what operators ask for that takes long, one job at a time and in one worker of all. A job outlives its worker: the
 * next one goes on with it. Drops, when its time has come, what was published before.
 */
export class JobRunner {
  private keptAt = -Infinity;

  constructor(private readonly options: JobRunnerOptions) {}

  /** Resolves when `signal` aborts. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        await this.session(signal);
      } catch (error) {
        if (signal.aborted) return;
        this.options.logger.warn({ err: error }, 'jobs are interrupted; trying again until it works');
        await pause(RETRY_MS, undefined, { signal }).catch(() => undefined);
      }
    }
  }

  /** One connection's life. */
  private async session(stop: AbortSignal): Promise<void> {
    const { databaseUrl } = this.options;
    const connection = await WorkerConnection.open(databaseUrl, 'plaza-jobs');
    const signal = AbortSignal.any([stop, connection.lost]);
    const notes = new Pool({ ...NOTES, connectionString: databaseUrl });
    notes.on('error', () => undefined);
    try {
      if (!(await connection.lock('plaza/jobs', signal, () => undefined))) return;
      while (!signal.aborted) {
        await this.keepHouse(connection.client);
        const job = await nextJob(connection.client);
        if (job) await this.work(job, connection.client, notes, signal);
        else await pause(POLL_MS, undefined, { signal }).catch(() => undefined);
      }
    } finally {
      await notes.end();
      await connection.close();
    }
    if (connection.lost.aborted && !stop.aborted) throw connection.lost.reason;
  }

  private async work(job: Job, client: Client, database: Pool, session: AbortSignal): Promise<void> {
    const { logger, now } = this.options;
    if (job.state === 'requested' && !(await moveJob(database, job.id, ['requested'], 'running', now())))
      return;
    logger.info({ job: job.id, kind: job.kind, resumed: job.state !== 'requested' }, 'working at a job');
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
      const said = await works[job.kind](job, {
        ...this.options,
        client,
        signal,
        report: (progress) => void (watch.latest = progress),
        takesPlaceOf: (incarnation) => watch.takesPlaceOf(incarnation),
        conclude: async (concluding, words, progress = watch.latest) => {
          if (!(await concludeJob(concluding, job.id, words, progress, now())))
            throw new JobError('The job is over already; nothing more was published.');
        },
      });
      logger.info({ job: job.id }, said);
    } catch (error) {
      if (!signal.aborted) await this.failed(job, client, error);
      else if (signal.reason instanceof JobError) await this.failed(job, client, signal.reason);
    } finally {
      ended.abort();
      await watching;
    }
  }

  /** What passes by itself is waited out; what does not ends the job. */
  private async failed(job: Job, client: Client, error: unknown): Promise<void> {
    const { logger, now } = this.options;
    const passes = [LogUnavailable, WrongExpectedRevision, WitnessUnavailable];
    if (passes.some((kind) => error instanceof kind) || isUnreachable(error)) {
      const message = `waiting: ${messageOf(error)}`;
      await moveJob(client, job.id, openStates, 'running', now(), message);
      await pause(RETRY_MS);
      return;
    }
    const isExpected = [JobError, LogReplaced, ProjectionStoppedError, VersionTooOldError].some(
      (kind) => error instanceof kind,
    );
    const message = isExpected ? messageOf(error) : `It failed, which it must not: ${messageOf(error)}`;
    // Paused meanwhile: what it has begun is for whoever goes on with it. Published: only the word of it was lost.
    const hasFailed = await moveJob(client, job.id, openStates, 'failed', now(), message);
    logger.error(
      { err: error, job: job.id },
      hasFailed ? 'the job has failed' : 'a job that was paused or published meanwhile met a fault',
    );
    if (!hasFailed) return;
    const { incarnation } = (await findJob(client, job.id)) ?? job;
    if (incarnation !== null && job.kind !== 'rollback') await dropUnpublished(incarnation, { client });
  }

  private async keepHouse(client: Client): Promise<void> {
    const { now, monotonic, graceMs = GRACE_MS, logger, group } = this.options;
    if (monotonic() - this.keptAt < Math.min(HOUSEKEEPING_MS, graceMs)) return;
    this.keptAt = monotonic();
    await dropSuperfluous(client, { groupName: group.name, before: new Date(now() - graceMs), logger });
  }
}

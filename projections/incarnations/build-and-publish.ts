import { publishIncarnation } from './incarnation.js';
import { buildSteps } from './building/build-progress.js';
import type { BuildProgress } from './building/build-progress.js';
import { buildVerified } from './building/build-verified.js';
import { RateMeter } from './building/rate-meter.js';
import type { JobContext } from '../jobs/job-context.js';
import { JobError } from '../jobs/job-error.js';
import { followLog } from './follow-log.js';
import { findOrCreateIncarnation } from './incarnation-of-job.js';
import type { Job } from '../jobs/job.js';

export interface PublicationRequest {
  readonly networkId: string;
  readonly instead: string | undefined;
  readonly from: 'serving' | 'quarantined';
  readonly done: readonly string[];
}

/**
 * Builds a new incarnation up to the head of the log, verifies it, and publishes it in the transaction that
 * concludes the job. Resumes an earlier build of the job. Returns a summary for the operator.
 * @throws {JobError} the publication has changed. Faults of log and Postgres pass through.
 */
export async function buildAndPublish(
  job: Job,
  context: JobContext,
  { networkId, instead, from, done: before }: PublicationRequest,
): Promise<string> {
  const { now, report, conclude, group, log, databaseUrl, signal } = context;
  const incarnation = await findOrCreateIncarnation(job, context);
  const rateMeter = new RateMeter();
  let eventsLoaded = 0;
  const options = {
    group,
    log,
    databaseUrl,
    incarnation,
    signal,
    onProgress: ({ phase, done, total, rate }: BuildProgress) => {
      if (phase === 'loading') eventsLoaded = done;
      report({ step: buildSteps[phase], done, total, rate, isVerifying: phase === 'verifying' });
    },
  };
  await buildVerified(options);
  const summary = [...before, `incarnation ${incarnation.incarnation} is published`].join('; ');
  await followLog({
    ...context,
    incarnation,
    atTheEnd: async (applying) => {
      const outcome = await publishIncarnation(applying, {
        incarnation: incarnation.incarnation,
        networkId,
        instead,
        now: now(),
        from,
        alongside: () =>
          conclude(applying, summary, {
            step: 'published',
            done: eventsLoaded,
            total: eventsLoaded,
            rate: rateMeter.of(eventsLoaded),
          }),
      });
      if (outcome === 'changed')
        throw new JobError(
          'The publication has changed during the build, so the build was discarded. See plaza recovery status, then start again.',
        );
      return outcome === 'published';
    },
  });
  return summary;
}

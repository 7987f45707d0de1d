import { publish } from './incarnation.js';
import type { BuildProgress } from './building/build-progress.js';
import { buildVerified } from './building/build-verified.js';
import { RateMeter } from './building/rate-meter.js';
import type { JobContext } from '../jobs/job-context.js';
import { JobError } from '../jobs/job-error.js';
import { follow } from './follow.js';
import { incarnationOf } from './incarnation-of-job.js';
import type { Job } from '../jobs/job.js';

export interface Publication {
  readonly networkId: string;
  /** What is published: nothing may be, in a recovery. */
  readonly instead: string | undefined;
  /** How reads are admitted to that. */
  readonly from: 'serving' | 'quarantined';
  /** What the job did before, in words. */
  readonly done: readonly string[];
}

const steps = {
  loading: 'loading events',
  finishing: 'making indexes',
  catching_up: 'catching up',
  verifying: 'verifying every table',
} as const;

/**
 * Brings a new incarnation to the end of the log, verifies it against an independent fold, and publishes it in one
 * transaction, in which the job is done, too. Goes on with what the job had begun. Answers what came of it, in words.
 * @throws {JobError} and what log and Postgres throw.
 */
export async function buildAndPublish(
  job: Job,
  context: JobContext,
  { networkId, instead, from, done: before }: Publication,
): Promise<string> {
  const { now, report, conclude, group, log, databaseUrl, signal } = context;
  const incarnation = await incarnationOf(job, context);
  const pace = new RateMeter();
  let loaded = 0;
  const engine = {
    group,
    log,
    databaseUrl,
    incarnation,
    signal,
    onProgress: ({ phase, done, total, rate }: BuildProgress) => {
      if (phase === 'loading') loaded = done;
      report({ step: steps[phase], done, total, rate, isVerifying: phase === 'verifying' });
    },
  };
  await buildVerified(engine);
  const said = [...before, `incarnation ${incarnation.incarnation} is published`].join('; ');
  await follow({
    ...context,
    incarnation,
    atTheEnd: async (applying) => {
      const outcome = await publish(applying, {
        incarnation: incarnation.incarnation,
        networkId,
        instead,
        now: now(),
        from,
        // What the next plan estimates from: everything that it took.
        alongside: () =>
          conclude(applying, said, {
            step: 'published',
            done: loaded,
            total: loaded,
            rate: pace.of(loaded),
          }),
      });
      if (outcome === 'changed')
        throw new JobError('What is published has changed during the build; look at it and begin again.');
      return outcome === 'published';
    },
  });
  return said;
}

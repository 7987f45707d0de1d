import type { RecoveryState } from '../recovery-state.js';
import { publish } from '../incarnation.js';
import type { BuildProgress } from '../build/progress.js';
import { buildVerified } from '../build/build-verified.js';
import { Pace } from '../build/pace.js';
import type { JobContext } from './context.js';
import { JobFault } from './fault.js';
import { follow } from './follow.js';
import { incarnationOf } from './incarnation-of-job.js';
import type { Job } from './job.js';

/** What takes the place of what is published: nothing may be, in a recovery. */
type Instead = Pick<RecoveryState, 'networkId'> & { readonly incarnation: string | undefined };

const steps = {
  loading: 'loading events',
  finishing: 'making indexes',
  catching_up: 'catching up',
  verifying: 'verifying every table',
} as const;

/**
 * Brings a new incarnation to the end of the log, verifies it against an independent fold, and publishes it in one
 * transaction. Goes on with what the job had begun. `from`: how reads are admitted to what it takes the place of.
 * @throws {JobFault} and what log and Postgres throw.
 */
export async function buildAndPublish(
  job: Job,
  context: JobContext,
  instead: Instead,
  from: 'serving' | 'quarantined',
): Promise<void> {
  const { now, report, group, log, databaseUrl, signal } = context;
  const incarnation = await incarnationOf(job, context);
  const pace = new Pace();
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
  await follow({
    ...context,
    incarnation,
    atTheEnd: async (applying) => {
      const outcome = await publish(applying, {
        incarnation: incarnation.incarnation,
        networkId: instead.networkId,
        instead: instead.incarnation,
        now: now(),
        from,
      });
      if (outcome === 'changed')
        throw new JobFault('What is published has changed during the build; look at it and begin again.');
      return outcome === 'published';
    },
  });
  // What the next plan estimates from: everything that it took.
  report({ step: 'published', done: loaded, total: loaded, rate: pace.of(loaded) });
}

import { sleep } from '../../../base/support/sleep.js';
import { Failure } from '../../../base/terminal/failure.js';
import type { Job } from '../../../../projections/jobs/job.js';
import type { jobActs } from '../job.acts.js';
import type { OperatorClient } from '../../client/operator-client.js';
import { ProgressLine } from '../../../base/terminal/progress-line.js';
import type { ProgressStep } from '../../../base/terminal/progress-line.js';

const POLL_INTERVAL_MS = 250;

export const outcomeOf = ({ message, state }: Job): string => message ?? state;

/**
 * Requests a job and shows its progress until it ends; null: nothing to do. The first Ctrl-C pauses the job, the second
 * one ends the command at once. `resumeCommand` resumes it.
 * @throws {Failure} the job failed or was paused, by this command or another one.
 */
export async function watchJob<Requested extends Job | null>(
  api: OperatorClient,
  request: () => Promise<Requested>,
  resumeCommand: string,
): Promise<Requested | Job> {
  const interrupted = new AbortController();
  const interrupt = () => interrupted.abort();
  // Before the request: an interrupt must never leave a requested job unwatched.
  process.once('SIGINT', interrupt);
  try {
    const requested = await request();
    return requested === null ? requested : await ended(requested, api, interrupted.signal, resumeCommand);
  } finally {
    process.off('SIGINT', interrupt);
  }
}

async function ended(
  requested: Job,
  api: OperatorClient,
  interrupted: AbortSignal,
  resumeCommand: string,
): Promise<Job> {
  const progress = new ProgressLine(String);
  const jobs = api.of<typeof jobActs>();
  const { id } = requested;
  for (let job = requested; ; job = await jobs.call('GET /operator/jobs/:id', { id })) {
    progress.show(stepOf(job));
    if (['published', 'rolled_back', 'failed', 'paused'].includes(job.state)) {
      progress.done();
      if (job.state === 'failed')
        throw new Failure(job.message ?? 'the job failed; see the log of the worker');
      if (job.state === 'paused') throw new Failure(pausedAt(job, resumeCommand));
      return job;
    }
    if (interrupted.aborted) await jobs.call('POST /operator/jobs/:id/pause', { id });
    else await sleep(POLL_INTERVAL_MS, interrupted);
  }
}

function stepOf({ state, step, done, total, rate, message }: Job): ProgressStep {
  if (state === 'requested') return { what: 'waiting for a worker', done: 0, total: null };
  return { what: message ?? step ?? 'starting', done, total, rate: rate ?? undefined };
}

const pausedAt = ({ done }: Job, resumeCommand: string): string =>
  `paused, with ${done} done; to resume from there, run: ${resumeCommand}`;

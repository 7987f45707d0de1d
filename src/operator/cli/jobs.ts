import { setTimeout as pause } from 'node:timers/promises';
import { Failure } from './failure.js';
import type { Job } from './job-answers.js';
import type { OperatorClient } from './operator-client.js';
import { ProgressLine } from './progress-line.js';
import type { Step } from './progress-line.js';

const LOOK_AGAIN_MS = 250;

/** What came of it. */
export const saidOf = ({ message, state }: Job): string => message ?? state;

/**
 * Asks for a job (null: there is nothing to do) and shows how far it is until it is done. Ctrl-C pauses it; a second one leaves at once. `goOn`: the command to go on with.
 * @throws {Failure} it failed or was paused, here or elsewhere.
 */
export async function watchJob<Asked extends Job | null>(
  api: OperatorClient,
  ask: () => Promise<Asked>,
  goOn: string,
): Promise<Asked | Job> {
  const interrupted = new AbortController();
  // Before it is asked for: what was asked for is never left behind unwatched.
  process.once('SIGINT', () => interrupted.abort());
  const asked = await ask();
  if (!asked) return asked;
  const progress = new ProgressLine(String);
  for (let job: Job = asked; ; job = await api.job(asked.id)) {
    progress.show(stepOf(job));
    if (['published', 'rolled_back', 'failed', 'paused'].includes(job.state)) {
      progress.done();
      if (job.state === 'failed') throw new Failure(job.message ?? 'it failed');
      if (job.state === 'paused') throw new Failure(pausedAt(job, goOn));
      return job;
    }
    if (interrupted.signal.aborted) await api.pauseJob(job.id);
    else await pause(LOOK_AGAIN_MS, undefined, { signal: interrupted.signal }).catch(() => undefined);
  }
}

function stepOf({ state, step, done, total, rate, message }: Job): Step {
  if (state === 'requested') return { what: 'waiting for a worker', done: 0, total: null };
  return { what: message ?? step ?? 'beginning', done, total, rate: rate ?? undefined };
}

const pausedAt = ({ done }: Job, goOn: string): string =>
  `paused, with ${done} done; nothing is lost: ${goOn} goes on from there`;

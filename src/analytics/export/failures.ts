import { LogReplaced, LogUnavailable } from '../../log/event-log.js';
import type { UndecodedLog } from '../../log/event-log.js';
import { Failure } from '../../base/terminal/failure.js';
import { isAccessRefused, isDiskFull } from '../data-set/disk-errors.js';

interface Advice {
  readonly log?: UndecodedLog;
  readonly next?: string | undefined;
}

/** Explains an error of the log or the disk to the operator; any other error stays as it is. */
export async function failureOf(
  error: unknown,
  dir: string,
  { log, next = 'run the command again' }: Advice = {},
): Promise<unknown> {
  const options = { cause: error };
  if (error instanceof LogReplaced)
    return new Failure(
      `${error.message} Events were exported that the log lost: restore the log, or drop them with plaza analytics export ${dir} --rewind`,
      options,
    );
  if (error instanceof LogUnavailable) {
    const reason = (await log?.explain('read', error)) ?? 'is it running, and is its address right?';
    return new Failure(
      `the event store does not answer: ${reason} What was committed stays; ${next}`,
      options,
    );
  }
  if (isDiskFull(error))
    return new Failure(
      `the disk of ${dir} is full: free space on it, then ${next}; what was committed stays`,
      options,
    );
  if (isAccessRefused(error))
    return new Failure(
      `${dir} cannot be used (${(error as Error).message}): name a directory that this account can read and write`,
      options,
    );
  return error;
}

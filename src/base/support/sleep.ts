import { setTimeout as timer } from 'node:timers/promises';

/**
 * Resolves after `ms` milliseconds, or as soon as `signal` aborts; never rejects. After the call, a caller that must
 * stop on an abort checks the signal itself.
 */
export async function sleep(
  ms: number,
  signal?: AbortSignal,
  { keepsProcess = true }: { readonly keepsProcess?: boolean } = {},
): Promise<void> {
  await timer(ms, undefined, { signal, ref: keepsProcess }).catch(() => undefined);
}

/**
 * Resolves with true as soon as `work` resolves, with false after `ms` milliseconds; `work` itself goes on. The timer
 * does not keep the process alive. Rejects if `work` rejects in time.
 */
export async function endsWithin(ms: number, work: Promise<unknown>): Promise<boolean> {
  const ended = new AbortController();
  const isLate = timer(ms, false, { signal: ended.signal, ref: false }).catch(() => false);
  try {
    return await Promise.race([work.then(() => true), isLate]);
  } finally {
    ended.abort();
  }
}

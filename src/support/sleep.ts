import { setTimeout as timer } from 'node:timers/promises';

/**
 * Resolves after `ms` milliseconds, or as soon as `signal` aborts, and never rejects. A caller that must not go on after
 * an abort checks the signal itself.
 */
export async function sleep(
  ms: number,
  signal?: AbortSignal,
  { keepsProcess = true }: { readonly keepsProcess?: boolean } = {},
): Promise<void> {
  await timer(ms, undefined, { signal, ref: keepsProcess }).catch(() => undefined);
}

/** True if `work` ends within `ms` milliseconds. The wait does not keep the process. Rejects if `work` does in time. */
export async function endsWithin(ms: number, work: Promise<unknown>): Promise<boolean> {
  const ended = new AbortController();
  const isLate = timer(ms, false, { signal: ended.signal, ref: false }).catch(() => false);
  try {
    return await Promise.race([work.then(() => true), isLate]);
  } finally {
    ended.abort();
  }
}

import { sleep } from '../base/support/sleep.js';

/**
 * Pauses before the second and third attempt. A leader that resumes after a freeze believes that it still leads until
 * the next gossip, every 2 s; then an election follows.
 */
const PAUSES_MS = [1_000, 4_000];

/**
 * Guards against a quarantine because of a stale leader: if `check` finds a fault, repeats it twice, each time over a
 * new connection.
 * @returns The last finding, if all three attempts had one; otherwise undefined. Rejects when `check` does, or when
 * `signal` aborts.
 */
export async function verifyRepeatedly<T>(
  reconnect: () => Promise<void>,
  check: () => Promise<T | undefined>,
  signal?: AbortSignal,
): Promise<T | undefined> {
  let found = await check();
  for (const milliseconds of PAUSES_MS) {
    if (found === undefined) return undefined;
    await sleep(milliseconds, signal);
    signal?.throwIfAborted();
    await reconnect();
    found = await check();
  }
  return found;
}

import { sleep } from '../support/sleep.js';

/**
 * Before the second and third attempt. A leader that resumes after a freeze believes that it still leads until the
 * next gossip, every 2 s; an election follows.
 */
const PAUSES_MS = [1_000, 4_000];

/**
 * Guards a quarantine against a stale leader: repeats `check` three times, each over a new connection.
 * @returns The last finding, if every attempt had one; else undefined. Rejects when `check` does, or when `signal`
 * aborts.
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

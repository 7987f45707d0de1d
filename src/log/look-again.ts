import { setTimeout as pause } from 'node:timers/promises';

/**
 * Before the second and the third look. A leader that was frozen and wakes up thinks that it leads until its gossip says
 * otherwise, every 2 s, and an election follows.
 */
const PAUSES_MS = [1_000, 4_000];

/**
 * What speaks for a quarantine is looked at three times, each time over another connection, and has to be there each time:
 * else undefined. Rejects with what a look rejects with, or when `signal` aborts.
 */
export async function verifyRepeatedly<T>(
  reconnect: () => Promise<void>,
  look: () => Promise<T | undefined>,
  signal?: AbortSignal,
): Promise<T | undefined> {
  let found = await look();
  for (const milliseconds of PAUSES_MS) {
    if (found === undefined) return undefined;
    await pause(milliseconds, undefined, { signal });
    await reconnect();
    found = await look();
  }
  return found;
}

import { setTimeout as pause } from 'node:timers/promises';

/** A condition is often a request: asking too often takes the processor from what is waited for. */
const MAX_PAUSE_MS = 100;

/**
 * Waits until a condition holds, and returns its value. Rejects after `timeoutMs` with the last value. The bound ends a
 * hang and does not judge speed. It is shorter than the minute after which a process of Plaza polls for a notification
 * that it missed.
 */
export async function until<T>(
  condition: () => T | Promise<T>,
  timeoutMs = 45_000,
): Promise<Exclude<T, undefined | null | false | 0 | ''>> {
  const giveUpAt = performance.now() + timeoutMs;
  for (let pauseMs = 10; ; pauseMs = Math.min(pauseMs * 1.5, MAX_PAUSE_MS)) {
    const answer = await condition();
    if (answer) return answer as Exclude<T, undefined | null | false | 0 | ''>;
    if (performance.now() > giveUpAt) throw new Error(`still ${String(answer)} after ${timeoutMs} ms`);
    await pause(pauseMs);
  }
}

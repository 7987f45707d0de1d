import { setTimeout as pause } from 'node:timers/promises';

/** Waits until a condition holds, and answers what it answered. Rejects after `timeoutMs`, with the last answer. */
export async function until<T>(
  condition: () => T | Promise<T>,
  timeoutMs = 20_000,
): Promise<Exclude<T, undefined | null | false | 0 | ''>> {
  const giveUpAt = performance.now() + timeoutMs;
  for (;;) {
    const answer = await condition();
    if (answer) return answer as Exclude<T, undefined | null | false | 0 | ''>;
    if (performance.now() > giveUpAt) throw new Error(`still ${String(answer)} after ${timeoutMs} ms`);
    await pause(20);
  }
}

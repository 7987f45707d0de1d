import { setTimeout as pause } from 'node:timers/promises';
import { LogUnavailable } from '../../log/event-log.js';
import { WitnessUnavailable } from '../../witness/witness.js';

const PAUSE_MS = 500;

/**
 * Does again what log or witness did not answer, up to so many times: one slow answer of thousands must not have all of them
 * asked anew. `work` must be safe to repeat. Rejects with its last fault, with any other, or when `signal` aborts.
 */
export async function retryWhileUnavailable<T>(
  work: () => Promise<T>,
  tries: number,
  signal: AbortSignal | undefined,
): Promise<T> {
  for (let left = tries - 1; ; left--) {
    try {
      return await work();
    } catch (error) {
      const passes = error instanceof LogUnavailable || error instanceof WitnessUnavailable;
      if (!passes || left <= 0) throw error;
      await pause(PAUSE_MS, undefined, { signal });
    }
  }
}

import { sleep } from '../base/support/sleep.js';
import { isOutage } from './witness/outage.js';

const PAUSE_MS = 500;

/**
 * Runs `work` up to `tries` times while log, witness or Postgres is away: one slow answer among thousands must not end the
 * whole operation. `work` must be idempotent.
 * @throws the last fault, any other fault at once, or the reason of `signal`.
 */
export async function retryWhileUnavailable<T>(
  work: () => Promise<T>,
  tries: number,
  signal: AbortSignal | undefined,
): Promise<T> {
  for (let triesLeft = tries - 1; ; triesLeft--) {
    try {
      return await work();
    } catch (error) {
      if (!isOutage(error) || triesLeft <= 0) throw error;
      await sleep(PAUSE_MS, signal);
      signal?.throwIfAborted();
    }
  }
}

import type { Logger } from 'pino';
import { sleep } from '../support/sleep.js';
import { isUnreachable } from './unreachable.js';

export interface WhenReachableOptions {
  readonly logger: Pick<Logger, 'warn'>;
  /** Logged once, with the first fault. */
  readonly warning: string;
  readonly retryMs: number;
  readonly signal?: AbortSignal | undefined;
  readonly beforeRetry?: () => Promise<void>;
}

/**
 * Repeats `attempt` until the databases answer: Postgres may start after this process, or answer late on a busy machine.
 * Rejects at any other fault. Undefined: aborted.
 */
export async function whenReachable<T>(
  attempt: () => Promise<T>,
  { logger, warning, retryMs, signal, beforeRetry }: WhenReachableOptions,
): Promise<T | undefined> {
  for (let hasWarned = false; ; hasWarned = true) {
    if (signal?.aborted) return undefined;
    try {
      return await attempt();
    } catch (error) {
      if (!isUnreachable(error)) throw error;
      if (!hasWarned) logger.warn({ err: error }, warning);
    }
    await beforeRetry?.();
    await sleep(retryMs, signal);
  }
}

import { LogUnavailable } from '../../src/log/event-log.js';
import { isUnreachable } from '../../src/base/store/unreachable.js';
import { WitnessUnavailable } from '../../src/log/witness/witness.js';
import { until } from './until.js';

/**
 * Repeats an idempotent act until log, witness and database answer. The product waits for them only a few seconds, which is
 * too short for concurrent tests on a busy machine.
 */
export async function retryWhileUnavailable<T>(act: () => Promise<T>): Promise<T> {
  const { result } = await until(async () => {
    try {
      return { result: await act() };
    } catch (error) {
      const isOutage = error instanceof LogUnavailable || error instanceof WitnessUnavailable;
      if (isOutage || isUnreachable(error)) return undefined;
      throw error;
    }
  });
  return result;
}

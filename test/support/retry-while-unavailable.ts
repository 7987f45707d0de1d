import { LogUnavailable } from '../../src/log/event-log.js';
import { WitnessUnavailable } from '../../src/witness/witness.js';
import { until } from './until.js';

/**
 * Repeats an idempotent act until log and witness answer. The product waits for them only a few seconds, which is too short
 * for concurrent tests on a busy machine.
 */
export async function retryWhileUnavailable<T>(act: () => Promise<T>): Promise<T> {
  const { result } = await until(async () => {
    try {
      return { result: await act() };
    } catch (error) {
      if (error instanceof LogUnavailable || error instanceof WitnessUnavailable) return undefined;
      throw error;
    }
  });
  return result;
}

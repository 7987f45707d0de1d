import { LogUnavailable } from '../../src/log/event-log.js';
import { WitnessUnavailable } from '../../src/witness/witness.js';
import { until } from './until.js';

/**
 * Repeats an act that is safe to repeat until log and witness answer. They are waited for a few seconds only, which is too
 * short for a test that does many things at once on a busy machine.
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

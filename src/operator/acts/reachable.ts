import { LogUnavailable } from '../../log/event-log.js';
import { isUnreachable } from '../../store/unreachable.js';
import { WitnessRequired, WitnessUnavailable } from '../../witness/witness.js';

export async function undefinedIfUnreachable<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    const isOutage =
      error instanceof LogUnavailable ||
      error instanceof WitnessUnavailable ||
      error instanceof WitnessRequired ||
      isUnreachable(error);
    if (!isOutage) throw error;
    return undefined;
  }
}

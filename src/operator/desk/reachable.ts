import { isOutage } from '../../log/witness/outage.js';

export async function undefinedIfUnreachable<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (!isOutage(error)) throw error;
    return undefined;
  }
}

import { HttpRefusal } from '../server/errors.js';
import type { ApiLimits } from './request-limits.js';
import type { RequestMeter } from './request-meter.js';

/**
 * Asks what a token is worth, unless it is not known and too many from its address were worth nothing lately; and counts
 * it if it is worth nothing.
 * @throws {HttpRefusal} `pilot_rate_limited`, before anything is asked; and whatever `ask` throws.
 */
export async function askAboutToken<Result>(
  { refused }: ApiLimits,
  meter: RequestMeter,
  tokenHash: Buffer,
  ask: () => Promise<Result>,
): Promise<Result> {
  meter.refuseIfUsedUp(refused.standingOf(meter.nearest, tokenHash));
  try {
    const result = await ask();
    refused.remember(tokenHash);
    return result;
  } catch (error) {
    if (error instanceof HttpRefusal && error.code === 'invalid_token') await refused.count(meter.nearest);
    throw error;
  }
}

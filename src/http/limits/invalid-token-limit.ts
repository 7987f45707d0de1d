import { HttpRefusal } from '../server/errors.js';
import type { RequestLimits } from './request-limits.js';
import type { RequestMeter } from './request-meter.js';

/**
 * Runs `ask`. An unknown token is refused before that if its address has sent too many invalid ones; `invalid_token`
 * counts against the address.
 * @throws {HttpRefusal} `pilot_rate_limited`, and the errors of `ask`.
 */
export async function limitInvalidTokens<Result>(
  { refused }: RequestLimits,
  meter: RequestMeter,
  tokenHash: Buffer,
  ask: () => Promise<Result>,
): Promise<Result> {
  meter.refuseIfUsedUp(refused.quotaStateOf(meter.peerAddress, tokenHash));
  try {
    const result = await ask();
    refused.remember(tokenHash);
    return result;
  } catch (error) {
    if (error instanceof HttpRefusal && error.code === 'invalid_token')
      await refused.count(meter.peerAddress);
    throw error;
  }
}

import type { QuotaState } from '../../../server/limits/rate-limit-fields.js';
import { CallerRefusal } from './caller.js';
import type { Caller } from './caller.js';
import { HttpRefusal } from '../../../server/errors.js';
import type { RequestLimits } from './request-limits.js';
import type { RequestMeter } from './request-meter.js';

/**
 * Runs `ask`, which looks up the token. Before that, refuses a token that this process has not accepted lately, if its
 * address has sent too many invalid ones. A refusal after the lookup counts too: `invalid_token` against the address,
 * the refusal of a live token against its caller.
 * @param take takes a point of the caller's limit.
 * @throws {HttpRefusal} `pilot_rate_limited`, and the errors of `ask`.
 */
export async function limitRefusedTokens<Result>(
  { refused }: RequestLimits,
  meter: RequestMeter,
  tokenHash: Buffer,
  ask: () => Promise<Result>,
  take: (caller: Caller) => Promise<QuotaState | undefined>,
): Promise<Result> {
  meter.refuseIfUsedUp(refused.quotaStateOf(meter.peerAddress, tokenHash));
  try {
    const result = await ask();
    refused.remember(tokenHash);
    return result;
  } catch (error) {
    if (error instanceof CallerRefusal) {
      refused.remember(tokenHash);
      await meter.count(() => take(error.caller));
    } else if (error instanceof HttpRefusal && error.code === 'invalid_token')
      await refused.count(meter.peerAddress);
    throw error;
  }
}

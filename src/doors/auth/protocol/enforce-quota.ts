import type { ServerResponse } from 'node:http';
import { isLimitExceeded, rateLimitFields } from '../../../server/limits/rate-limit-fields.js';
import type { QuotaState } from '../../../server/limits/rate-limit-fields.js';
import { Fault } from '../rules/faults.js';

/**
 * Sets the rate-limit headers of an answer.
 * @param reason without the retry time, which the message gets.
 * @throws {Fault} `pilot_rate_limited`: the window is used up.
 */
export function enforceQuota(response: ServerResponse, quota: QuotaState, reason: string): void {
  const fields = rateLimitFields([quota.policy], [quota]);
  for (const [name, value] of Object.entries(fields)) response.setHeader(name, value);
  if (!isLimitExceeded(quota)) return;
  // The library may have set it for a scope that the token lacks.
  response.removeHeader('www-authenticate');
  throw new Fault(429, 'pilot_rate_limited', `${reason}; retry in ${fields['retry-after']} s.`);
}

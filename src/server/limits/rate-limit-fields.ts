import type { Limit } from '../../base/config/limit-settings.js';
import type { Consumed } from './shared-window.js';

export interface QuotaPolicy {
  readonly name: string;
  readonly limit: Limit;
}

export interface QuotaState {
  readonly policy: QuotaPolicy;
  readonly consumed: Consumed;
}

export type HeaderFields = Readonly<Record<string, string>>;

/** Seconds until the window ends, at least one: a client that retries at once would come too early. */
export const secondsToReset = ({ msToReset }: Consumed): number => Math.max(1, Math.ceil(msToReset / 1000));

export const isLimitExceeded = ({ consumed }: QuotaState): boolean => consumed.granted === 0;

/**
 * Returns the rate-limit headers (draft-ietf-httpapi-ratelimit-headers-10, sections 3 and 4), and `retry-after` (RFC
 * 9110, section 10.2.3) if one of `states` is exceeded. `policies`: all that apply to the answer, counted or not.
 */
export function rateLimitFields(
  policies: readonly QuotaPolicy[],
  states: readonly QuotaState[],
): HeaderFields {
  const refused = states.find(isLimitExceeded);
  const policyItems = policies.map(
    ({ name, limit }) => `"${name}";q=${limit.quota};w=${limit.windowSeconds}`,
  );
  const limitItems = states.map(
    ({ policy, consumed }) => `"${policy.name}";r=${consumed.left};t=${secondsToReset(consumed)}`,
  );
  return {
    'ratelimit-policy': policyItems.join(', '),
    ratelimit: limitItems.join(', '),
    ...(refused && { 'retry-after': String(secondsToReset(refused.consumed)) }),
  };
}

import type { Limit } from '../../base/config/limit-settings.js';
import type { WindowClaim } from './shared-window.js';

export interface QuotaPolicy {
  readonly name: string;
  readonly limit: Limit;
}

export interface QuotaState {
  readonly policy: QuotaPolicy;
  readonly claim: WindowClaim;
}

export type HeaderFields = Readonly<Record<string, string>>;

/** Seconds until the window ends, at least one: a client that retries at once would come too early. */
export const secondsToReset = ({ msToReset }: WindowClaim): number =>
  Math.max(1, Math.ceil(msToReset / 1000));

export const isLimitExceeded = ({ claim }: QuotaState): boolean => claim.granted === 0;

/**
 * Returns the rate-limit headers (draft-ietf-httpapi-ratelimit-headers-10, sections 3 and 4), and `retry-after` (RFC
 * 9110, section 10.2.3) if a claim was refused. `policies`: all that apply to the answer, claimed or not.
 */
export function rateLimitFields(
  policies: readonly QuotaPolicy[],
  claims: readonly QuotaState[],
): HeaderFields {
  const refused = claims.find(isLimitExceeded);
  const policyItems = policies.map(
    ({ name, limit }) => `"${name}";q=${limit.quota};w=${limit.windowSeconds}`,
  );
  const limitItems = claims.map(
    ({ policy, claim }) => `"${policy.name}";r=${claim.left};t=${secondsToReset(claim)}`,
  );
  return {
    'ratelimit-policy': policyItems.join(', '),
    ratelimit: limitItems.join(', '),
    ...(refused && { 'retry-after': String(secondsToReset(refused.claim)) }),
  };
}

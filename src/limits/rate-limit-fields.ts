import type { Limit } from '../config/limit-settings.js';
import type { Claim } from './shared-window.js';

/** A budget as an answer names it. */
export interface Policy {
  readonly name: string;
  readonly limit: Limit;
}

/** What one point was had of. */
export interface QuotaState {
  readonly policy: Policy;
  readonly claim: Claim;
}

/** Header fields of an answer; without limits none. */
export type Fields = Readonly<Record<string, string>>;

/** Until the window ends: at least one, since a client that comes back at once would come too early. */
export const secondsToReset = ({ msToReset }: Claim): number => Math.max(1, Math.ceil(msToReset / 1000));

export const isRefused = ({ claim }: QuotaState): boolean => claim.granted === 0;

/**
 * What an answer says of limits: draft-ietf-httpapi-ratelimit-headers-10, sections 3 and 4; RFC 9110, section 10.2.3.
 * @param policies those that the answer is under, whether or not a point was asked of them.
 */
export function rateLimitFields(policies: readonly Policy[], standings: readonly QuotaState[]): Fields {
  const refused = standings.find(isRefused);
  const inWords = policies.map(({ name, limit }) => `"${name}";q=${limit.quota};w=${limit.windowSeconds}`);
  const left = standings.map(
    ({ policy, claim }) => `"${policy.name}";r=${claim.left};t=${secondsToReset(claim)}`,
  );
  return {
    'ratelimit-policy': inWords.join(', '),
    ratelimit: left.join(', '),
    ...(refused && { 'retry-after': String(secondsToReset(refused.claim)) }),
  };
}

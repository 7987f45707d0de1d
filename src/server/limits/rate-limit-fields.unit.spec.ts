import { describe, expect, it } from '@jest/globals';
import { rateLimitFields } from './rate-limit-fields.js';
import type { QuotaPolicy } from './rate-limit-fields.js';

const account: QuotaPolicy = { name: 'account', limit: { quota: 10, windowSeconds: 600 } };
const address: QuotaPolicy = { name: 'address', limit: { quota: 100, windowSeconds: 600 } };

describe('the header fields of an answer under limits', () => {
  it('name every policy, and the remaining points of the charged ones', () => {
    expect(
      rateLimitFields(
        [account, address],
        [{ policy: address, consumed: { granted: 1, left: 7, msToReset: 59_001 } }],
      ),
    ).toEqual({
      'ratelimit-policy': '"account";q=10;w=600, "address";q=100;w=600',
      ratelimit: '"address";r=7;t=60',
    });
  });

  it.each([
    [0, '1'],
    [1, '1'],
    [1_000, '1'],
    [1_001, '2'],
  ])('say when to retry after a refusal, %i ms before the window ends', (msToReset, seconds) => {
    const fields = rateLimitFields(
      [account],
      [{ policy: account, consumed: { granted: 0, left: 0, msToReset } }],
    );
    expect(fields).toMatchObject({ ratelimit: `"account";r=0;t=${seconds}`, 'retry-after': seconds });
  });
});

import { describe, expect, it } from '@jest/globals';
import { grantLifetimeOf } from './lifetimes.js';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

describe('a grant is usable', () => {
  it('until its only access token expires, without offline_access', () => {
    expect(grantLifetimeOf(['openid', 'read'])).toBe(21 * MINUTE_MS);
  });

  it('until the last access token of its last refresh expires, with offline_access', () => {
    expect(grantLifetimeOf(['offline_access', 'read'])).toBe(30 * DAY_MS + 21 * MINUTE_MS);
  });
});

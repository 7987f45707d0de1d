import { describe, expect, it } from '@jest/globals';
import { Backoff } from './backoff.js';

describe('a backoff', () => {
  it('doubles the pause up to the longest, and starts again after a success', () => {
    const backoff = new Backoff({ first: 100, longest: 500 });
    expect([1, 2, 3, 4, 5].map(() => backoff.next())).toEqual([100, 200, 400, 500, 500]);
    expect(backoff.failures).toBe(5);
    backoff.reset();
    expect(backoff.failures).toBe(0);
    expect(backoff.next()).toBe(100);
  });

  it('stays at the longest pause', () => {
    const backoff = new Backoff({ first: 100, longest: 10_000 });
    for (let failure = 1; failure <= 2_000; failure++) backoff.next();
    expect(backoff.next()).toBe(10_000);
  });
});

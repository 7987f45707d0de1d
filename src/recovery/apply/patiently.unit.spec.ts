import { describe, expect, it } from '@jest/globals';
import { LogUnavailable } from '../../log/event-log.js';
import { retryWhileUnavailable } from './patiently.js';

/** Fails so often, then answers how often it was asked. */
function failing(times: number, fault: () => Error = () => new LogUnavailable('slow')) {
  let asked = 0;
  return {
    asked: () => asked,
    work: () => (++asked > times ? Promise.resolve(asked) : Promise.reject(fault())),
  };
}

describe('what a store did not answer', () => {
  it('is asked again, and no more often than is said', async () => {
    expect(await retryWhileUnavailable(failing(2).work, 3, undefined)).toBe(3);
    const { work, asked } = failing(3);
    await expect(retryWhileUnavailable(work, 3, undefined)).rejects.toThrow('slow');
    expect(asked()).toBe(3);
  });

  it('is not asked again once nobody wants it', async () => {
    const { work, asked } = failing(9);
    await expect(retryWhileUnavailable(work, 9, AbortSignal.abort())).rejects.toThrow('aborted');
    expect(asked()).toBe(1);
  });

  it('is another matter than what was answered', async () => {
    const { work, asked } = failing(1, () => new RangeError('wrong'));
    await expect(retryWhileUnavailable(work, 3, undefined)).rejects.toThrow(RangeError);
    expect(asked()).toBe(1);
  });
});

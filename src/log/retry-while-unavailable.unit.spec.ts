import { describe, expect, it } from '@jest/globals';
import { LogUnavailable } from './event-log.js';
import { retryWhileUnavailable } from './retry-while-unavailable.js';

/** Fails `times` times, then returns the number of calls. */
function failing(times: number, fault: () => Error = () => new LogUnavailable('slow')) {
  let calls = 0;
  return {
    calls: () => calls,
    work: () => (++calls > times ? Promise.resolve(calls) : Promise.reject(fault())),
  };
}

describe('a call to an unavailable store', () => {
  it('is retried, at most as often as requested', async () => {
    expect(await retryWhileUnavailable(failing(2).work, 3, undefined)).toBe(3);
    const { work, calls } = failing(3);
    await expect(retryWhileUnavailable(work, 3, undefined)).rejects.toThrow('slow');
    expect(calls()).toBe(3);
  });

  it('is not retried after an abort', async () => {
    const { work, calls } = failing(9);
    await expect(retryWhileUnavailable(work, 9, AbortSignal.abort())).rejects.toThrow('aborted');
    expect(calls()).toBe(1);
  });

  it('is not retried after any other fault', async () => {
    const { work, calls } = failing(1, () => new RangeError('wrong'));
    await expect(retryWhileUnavailable(work, 3, undefined)).rejects.toThrow(RangeError);
    expect(calls()).toBe(1);
  });
});

import { getEventListeners } from 'node:events';
import { describe, expect, it } from '@jest/globals';
import { endsWithin, sleep } from './sleep.js';

/** No test waits for it. */
const LONG_MS = 600_000;
const never = new Promise<void>(() => undefined);

describe('a sleep', () => {
  it('resolves after its time, and leaves no listener', async () => {
    const { signal } = new AbortController();
    await sleep(1, signal);
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  it('resolves once the signal aborts', async () => {
    const stopping = new AbortController();
    const slept = sleep(LONG_MS, stopping.signal);
    stopping.abort(new Error('stopped'));
    await expect(slept).resolves.toBeUndefined();
  });

  it('resolves at once if the signal has aborted', async () => {
    await expect(sleep(LONG_MS, AbortSignal.abort())).resolves.toBeUndefined();
  });
});

describe('work with a limit', () => {
  it('ends in time', async () => {
    await expect(endsWithin(LONG_MS, Promise.resolve())).resolves.toBe(true);
  });

  it('is late', async () => {
    await expect(endsWithin(1, never)).resolves.toBe(false);
  });

  it('rejects in time', async () => {
    await expect(endsWithin(LONG_MS, Promise.reject(new Error('failed')))).rejects.toThrow('failed');
  });
});

import { describe, expect, test } from '@jest/globals';
import { AutoResetEvent } from './auto-reset-event.js';

const LONG_MS = 60_000;
const never = new AbortController().signal;

describe('an auto-reset event', () => {
  test('releases one waiter if it was set before', async () => {
    const latch = new AutoResetEvent();
    latch.set();
    latch.set();
    await latch.wait(LONG_MS, never);
    let isOpen = false;
    const next = latch.wait(LONG_MS, never).then(() => (isOpen = true));
    await Promise.resolve();
    expect(isOpen).toBe(false);
    latch.set();
    expect(await next).toBe(true);
  });

  test('releases its waiter after a time', async () => {
    expect(await new AutoResetEvent().wait(1, never)).toBeUndefined();
  });

  test('releases its waiter on an abort, even an earlier one', async () => {
    const stopping = new AbortController();
    const waiting = new AutoResetEvent().wait(LONG_MS, stopping.signal);
    stopping.abort();
    expect(await waiting).toBeUndefined();
    expect(await new AutoResetEvent().wait(LONG_MS, stopping.signal)).toBeUndefined();
  });
});

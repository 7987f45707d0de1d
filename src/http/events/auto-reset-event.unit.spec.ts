import { describe, expect, test } from '@jest/globals';
import { AutoResetEvent } from './auto-reset-event.js';

const LONG_MS = 60_000;
const never = new AbortController().signal;

describe('a latch', () => {
  test('is open at once where it was rung before, and only once', async () => {
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

  test('opens by itself after a while', async () => {
    expect(await new AutoResetEvent().wait(1, never)).toBeUndefined();
  });

  test('opens when nobody wants to wait any more, also where that was before', async () => {
    const stopping = new AbortController();
    const waiting = new AutoResetEvent().wait(LONG_MS, stopping.signal);
    stopping.abort();
    expect(await waiting).toBeUndefined();
    expect(await new AutoResetEvent().wait(LONG_MS, stopping.signal)).toBeUndefined();
  });
});

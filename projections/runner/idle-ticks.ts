import { sleep } from '../../src/base/support/sleep.js';

/**
 * Yields the values of a source, and undefined after each `ms()` milliseconds of silence. The source must end when its
 * signal aborts, also while it waits for its next value. The signal aborts, too, when the consumer stops.
 */
export async function* withIdleTicks<T>(
  open: (signal: AbortSignal) => AsyncIterable<T>,
  ms: () => number,
  stop: AbortSignal,
): AsyncGenerator<T | undefined> {
  const stopped = new AbortController();
  const source = open(AbortSignal.any([stop, stopped.signal]))[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = source.next();
      let arrived: IteratorResult<T> | undefined;
      while (!(arrived = await within(next, ms()))) yield undefined;
      if (arrived.done) return;
      yield arrived.value;
    }
  } finally {
    stopped.abort();
    await source.return?.();
  }
}

async function within<T>(value: Promise<T>, ms: number): Promise<T | undefined> {
  const arrived = new AbortController();
  const silence = sleep(ms, arrived.signal).then(() => undefined);
  try {
    return await Promise.race([value, silence]);
  } finally {
    arrived.abort();
  }
}

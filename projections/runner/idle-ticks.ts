import { setTimeout as pause } from 'node:timers/promises';

/**
 * What a source yields, and undefined whenever it has been silent for `ms`, one at a time. The source must end when the
 * signal that it is given aborts, which it also does when nobody asks any more.
 */
export async function* withIdleTicks<T>(
  open: (signal: AbortSignal) => AsyncIterable<T>,
  ms: number,
  stop: AbortSignal,
): AsyncGenerator<T | undefined> {
  const unwanted = new AbortController();
  const source = open(AbortSignal.any([stop, unwanted.signal]))[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = source.next();
      let arrived: IteratorResult<T> | undefined;
      while (!(arrived = await within(next, ms))) yield undefined;
      if (arrived.done) return;
      yield arrived.value;
    }
  } finally {
    // Only then does a source that waits for its next value listen.
    unwanted.abort();
    await source.return?.();
  }
}

async function within<T>(value: Promise<T>, ms: number): Promise<T | undefined> {
  const arrived = new AbortController();
  const silence = pause(ms, undefined, { signal: arrived.signal }).catch(() => undefined);
  try {
    return await Promise.race([value, silence]);
  } finally {
    arrived.abort();
  }
}

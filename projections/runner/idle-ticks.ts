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
      const wait = { isOver: false, wake: (): void => undefined };
      const settle = () => {
        wait.isOver = true;
        wait.wake();
      };
      // Only once: a race in each tick would leave something behind in each, until the value arrives.
      void next.then(settle, settle);
      while (!wait.isOver) {
        const woken = new Promise<void>((resolve) => (wait.wake = resolve));
        const silence = setTimeout(wait.wake, ms());
        await woken;
        clearTimeout(silence);
        if (!wait.isOver) yield undefined;
      }
      const arrived = await next;
      if (arrived.done) return;
      yield arrived.value;
    }
  } finally {
    stopped.abort();
    await source.return?.();
  }
}

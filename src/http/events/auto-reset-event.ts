/** Remembers that it was rung until somebody has waited for that, so that no ring is missed and many count as one. */
export class AutoResetEvent {
  private rung = false;
  private wake: (() => void) | undefined;

  ring(): void {
    this.rung = true;
    this.wake?.();
  }

  /** Resolves when it is rung, or was since the last time; at the latest after `ms`, or when `signal` aborts. */
  async next(ms: number, signal: AbortSignal): Promise<void> {
    if (!this.rung && !signal.aborted) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.wake = resolve;
      const timer = setTimeout(resolve, ms);
      const stop = () => resolve();
      signal.addEventListener('abort', stop);
      await promise;
      signal.removeEventListener('abort', stop);
      clearTimeout(timer);
      this.wake = undefined;
    }
    this.rung = false;
  }
}

/** An auto-reset event: a `set` is remembered until the next `wait` returns, and several count as one. */
export class AutoResetEvent {
  private rung = false;
  private wake: (() => void) | undefined;

  set(): void {
    this.rung = true;
    this.wake?.();
  }

  /** Resolves once `set` was called since the last wait returned, after `ms` milliseconds, or when `signal` aborts. */
  async wait(ms: number, signal: AbortSignal): Promise<void> {
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

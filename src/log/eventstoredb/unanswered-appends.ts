/**
 * Largest number of appends of one client without an answer; further appends wait for a place. Bounds the memory
 * while the leader does not answer: each append has at most 80 KiB (append-size.ts).
 */
export const MAX_UNANSWERED = 256;

/**
 * Counts the appends that one client has sent and that are not answered yet. An append that its caller gave up counts
 * too: the client keeps it in memory.
 */
export class UnansweredAppends {
  private count = 0;
  private answeredAt = performance.now();
  private readonly waiting = new Set<() => void>();

  /**
   * Waits until fewer than {@link MAX_UNANSWERED} appends are unanswered, then starts `append`. Rejects with the
   * reason of `signal` if that aborts first.
   */
  async run<T>(append: () => Promise<T>, signal: AbortSignal): Promise<T> {
    await this.place(signal);
    try {
      return await append();
    } finally {
      this.answeredAt = performance.now();
      this.release();
    }
  }

  /** True if all places are taken, and no append was answered since this time (`performance.now()`). */
  isStuckSince(time: number): boolean {
    return this.count >= MAX_UNANSWERED && this.answeredAt < time;
  }

  private async place(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (this.count < MAX_UNANSWERED) {
      this.count += 1;
      return;
    }
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const giveUp = (): void => {
      this.waiting.delete(resolve);
      reject(signal.reason as Error);
    };
    this.waiting.add(resolve);
    signal.addEventListener('abort', giveUp);
    try {
      await promise;
    } finally {
      signal.removeEventListener('abort', giveUp);
    }
  }

  /** Gives the free place to the append that has waited longest, if any. */
  private release(): void {
    const [next] = this.waiting;
    if (!next) this.count -= 1;
    else {
      this.waiting.delete(next);
      next();
    }
  }
}

/** Bounds the memory for appends to a leader that does not answer: each has at most 80 KiB (append-size.ts). */
export const MAX_UNANSWERED = 256;

/** The appends that one client sent without an answer so far. An abandoned one counts, because the client keeps it. */
export class UnansweredAppends {
  private count = 0;
  private answeredAt = performance.now();
  private readonly waiting = new Set<() => void>();

  /** Starts `append` once it has a place. Rejects with the reason of `signal` if that aborts first. */
  async run<T>(append: () => Promise<T>, signal: AbortSignal): Promise<T> {
    await this.place(signal);
    try {
      return await append();
    } finally {
      this.answeredAt = performance.now();
      this.release();
    }
  }

  /** No place became free since this time (`performance.now()`). */
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

  /** The oldest waiting append inherits the place. */
  private release(): void {
    const [next] = this.waiting;
    if (!next) this.count -= 1;
    else {
      this.waiting.delete(next);
      next();
    }
  }
}

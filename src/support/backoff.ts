/** The pauses between attempts: each is twice the one before, up to the longest. */
export class Backoff {
  private count = 0;

  constructor(private readonly ms: { readonly first: number; readonly longest: number }) {}

  /** The failures since the last success. */
  get failures(): number {
    return this.count;
  }

  /** Counts a failure, and returns the pause before the next attempt in milliseconds. */
  next(): number {
    return Math.min(this.ms.first * 2 ** this.count++, this.ms.longest);
  }

  /** After a success. */
  reset(): void {
    this.count = 0;
  }
}

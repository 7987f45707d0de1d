/**
 * Computes the pauses between failed attempts. Each pause is twice the one before, but at most `longest`, in
 * milliseconds.
 */
export class Backoff {
  private count = 0;

  constructor(private readonly ms: { readonly first: number; readonly longest: number }) {}

  get failures(): number {
    return this.count;
  }

  /** Counts a failure, and returns the pause before the next attempt in milliseconds. */
  next(): number {
    return Math.min(this.ms.first * 2 ** this.count++, this.ms.longest);
  }

  /** Call after a success: the next failure is followed by the first, shortest pause again. */
  reset(): void {
    this.count = 0;
  }
}

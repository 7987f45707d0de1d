const MIN_DELAY_MS = 100;
const MAX_DELAY_MS = 10_000;
const HEALTHY_AFTER_MS = 60_000;

export class Backoff {
  #failures = 0;

  next(servedMs: number): number {
    if (servedMs > HEALTHY_AFTER_MS) this.#failures = 0;
    return Math.min(MIN_DELAY_MS * 2 ** this.#failures++, MAX_DELAY_MS);
  }
}

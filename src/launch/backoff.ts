const SHORTEST_MS = 100;
const LONGEST_MS = 10_000;
/** A process that served this long was well: the next restart does not wait for the failures before it. */
const WELL_AFTER_MS = 60_000;

/** How long to wait before each next restart of a process: at once at first, then longer each time. */
export class Backoff {
  #failures = 0;

  /** The pause before the next start, given how long the process had served. */
  next(servedMs: number): number {
    if (servedMs > WELL_AFTER_MS) this.#failures = 0;
    return Math.min(SHORTEST_MS * 2 ** this.#failures++, LONGEST_MS);
  }
}

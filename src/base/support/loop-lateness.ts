const TICK_MS = 50;
/** A shorter delay leaves enough turns in any deadline to read an answer. */
const SHORTEST_MS = 250;

/** A moment, by `performance.now()`, and how late the event loop had been in all until then, both in milliseconds. */
export interface Moment {
  readonly at: number;
  readonly late: number;
}

/**
 * Measures how late the timers of this process are. Code that waits for another process with a deadline can tell by it
 * whether this process was too busy to read the answer.
 */
export class LoopLateness {
  private late = 0;
  private due = performance.now() + TICK_MS;
  private readonly timer = setInterval(() => {
    const now = performance.now();
    this.late += delayAt(now, this.due);
    this.due = now + TICK_MS;
  }, TICK_MS).unref();

  now(): Moment {
    const at = performance.now();
    // The timer of now may be late as well.
    return { at, late: this.late + delayAt(at, this.due) };
  }

  /** True if the event loop was late for more than half of the time since this moment. */
  wasMostlyLate({ at, late }: Moment): boolean {
    const now = this.now();
    return (now.late - late) * 2 > now.at - at;
  }

  end(): void {
    clearInterval(this.timer);
  }
}

const delayAt = (now: number, due: number): number => (now - due < SHORTEST_MS ? 0 : now - due);

import { Clock, systemClock } from './clock.js';

const TOLERANCE_MS = 60_000;

/**
 * The clock of a process, at most a minute ahead of that of Postgres: beyond that it gives the time of Postgres.
 * `process`: a noun by which operators know the process.
 */
export class BoundedClock extends Clock {
  private aheadMs = 0;

  constructor(
    private readonly process: string,
    private readonly system: Clock = systemClock,
  ) {
    super();
  }

  now(): number {
    const now = this.system.now();
    return this.aheadMs > TOLERANCE_MS ? now - this.aheadMs : now;
  }

  /** `database`: what Postgres just answered, in Unix milliseconds. */
  observe(database: number): void {
    this.aheadMs = this.system.now() - database;
  }

  /** Names the process and both clocks; undefined: they agree within a minute. */
  fault(): string | undefined {
    if (Math.abs(this.aheadMs) <= TOLERANCE_MS) return undefined;
    const now = this.system.now();
    const [own, database] = [now, now - this.aheadMs].map((time) => new Date(time).toISOString());
    return `The clock of this ${this.process} is at ${own}, that of Postgres at ${database}: set the wrong one.`;
  }
}

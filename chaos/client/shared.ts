import type { Finding } from '../checker/finding.js';
import { Sightings } from '../checker/sightings.js';
import { Ticks } from '../history.js';
import type { Operation } from '../history.js';

/** What all clients of a run share: the clock, what they did, what they know of, and when something last succeeded. */
export class Shared {
  readonly ticks = new Ticks();
  readonly operations: Operation[] = [];
  readonly sightings = new Sightings();
  readonly findings: Finding[] = [];
  readonly writes = new Gauge();
  readonly reads = new Gauge();
  /** Posts that somebody may reply to, like or read: the newest, and those that were deleted. */
  readonly posts: { readonly id: string; readonly author: string }[] = [];
  acknowledged = 0;
  /** Position in the log of the newest act that was acknowledged. */
  newestRevision = 0;
}

/** The longest time in which nothing succeeded, in milliseconds. */
export class Gauge {
  count = 0;
  private last = performance.now();
  private longest = 0;

  begin(): void {
    this.last = performance.now();
    this.longest = 0;
  }

  succeeded(): void {
    const now = performance.now();
    this.longest = Math.max(this.longest, now - this.last);
    this.last = now;
    this.count++;
  }

  get longestPauseMs(): number {
    return this.longest;
  }
}

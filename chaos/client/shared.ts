import type { Finding } from '../checker/finding.js';
import { Sightings } from '../checker/sightings.js';
import { Ticks } from '../history.js';
import type { Operation } from '../history.js';

export class Shared {
  readonly ticks = new Ticks();
  readonly operations: Operation[] = [];
  readonly sightings = new Sightings();
  readonly findings: Finding[] = [];
  readonly writes = new Gauge();
  readonly reads = new Gauge();
  /** Posts to reply to, like or read: the newest, and deleted ones. */
  readonly posts: { readonly id: string; readonly author: string }[] = [];
  acknowledged = 0;
  /** Log position of the newest acknowledged act. */
  newestRevision = 0;
}

/** Measures the longest time without a success, in milliseconds. */
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

import type { BoundedClock } from '../../base/support/bounded-clock.js';
import { NotReady } from './health.js';

/** Rejects if the clock of this process and that of Postgres differ, as {@link checkDatabase} saw them last. */
export async function checkClock(clock: BoundedClock): Promise<void> {
  const fault = clock.fault();
  if (fault !== undefined) throw new NotReady(fault, 'The clock differs from that of Postgres.');
}

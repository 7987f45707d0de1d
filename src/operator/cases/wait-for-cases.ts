import type { Pool } from 'pg';
import { casesPosition } from '../../../projections/cases/cases.read-model.js';
import { isUnreachable } from '../../base/store/unreachable.js';
import { sleep } from '../../base/support/sleep.js';

/** The queue may lag this long before an act answers all the same. */
const WAIT_MS = 3_000;
const POLL_MS = 20;

/**
 * Waits until the queue shows the event at this position, so that an operator who lists it next sees the act. Not while the
 * read store is away: the act is recorded.
 */
export async function waitForCases(pool: Pool, position: bigint): Promise<void> {
  const deadline = performance.now() + WAIT_MS;
  try {
    while ((await casesPosition(pool)) < position && performance.now() < deadline) await sleep(POLL_MS);
  } catch (error) {
    if (!isUnreachable(error)) throw error;
  }
}

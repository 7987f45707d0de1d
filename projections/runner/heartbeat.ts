import type { ClientBase } from 'pg';
import { sleep } from '../../src/base/support/sleep.js';

const INTERVAL_MS = 3_000;

export class Heartbeat {
  private nextAt = 0;

  constructor(
    private readonly client: ClientBase,
    private readonly group: string,
  ) {}

  async beatDuring(work: Promise<void>): Promise<void> {
    const ended = new AbortController();
    const [workResult, beatResult] = await Promise.allSettled([
      work.finally(() => ended.abort()),
      this.beatUntil(ended.signal),
    ]);
    // An error of the work explains more than an error of a beat beside it.
    if (workResult.status === 'rejected') throw workResult.reason;
    if (beatResult.status === 'rejected') throw beatResult.reason;
  }

  /**
   * Records every three seconds that this worker is alive; returns true if it did so now. Must be called at least once
   * a second, also while idle. `caughtUp`: every event of the log is applied.
   */
  async beat(caughtUp: boolean): Promise<boolean> {
    if (performance.now() < this.nextAt) return false;
    this.nextAt = performance.now() + INTERVAL_MS;
    await this.client.query({
      name: 'heartbeat',
      text: `INSERT INTO recovery.heartbeat (group_name, beat_at, caught_up) VALUES ($1, now(), $2)
        ON CONFLICT (group_name) DO UPDATE SET beat_at = excluded.beat_at, caught_up = excluded.caught_up`,
      values: [this.group, caughtUp],
    });
    return true;
  }

  private async beatUntil(ended: AbortSignal): Promise<void> {
    while (!ended.aborted) {
      await this.beat(false);
      await sleep(INTERVAL_MS, ended);
    }
  }
}

import { setTimeout as pause } from 'node:timers/promises';
import type { ClientBase } from 'pg';

const EVERY_MS = 3_000;

/** Says now and then that the worker of a group is at it, on the connection that it works on. */
export class Heartbeat {
  private nextAt = 0;

  constructor(
    private readonly client: ClientBase,
    private readonly group: string,
  ) {}

  /** For work on other connections, which takes as long as it takes; this one has nothing else to do. */
  async beatDuring(work: Promise<void>): Promise<void> {
    const ended = new AbortController();
    const [worked, beaten] = await Promise.allSettled([
      work.finally(() => ended.abort()),
      this.beatUntil(ended.signal),
    ]);
    // What the work met says more than a beat that failed beside it.
    if (worked.status === 'rejected') throw worked.reason;
    if (beaten.status === 'rejected') throw beaten.reason;
  }

  /**
   * Call it as often as anything is done, or nothing is there to be done: at least each second. `caughtUp`: whether all that
   * the log has is applied.
   */
  async beat(caughtUp: boolean): Promise<void> {
    if (performance.now() < this.nextAt) return;
    this.nextAt = performance.now() + EVERY_MS;
    await this.client.query({
      name: 'heartbeat',
      text: `INSERT INTO recovery.heartbeat (group_name, beat_at, caught_up) VALUES ($1, now(), $2)
        ON CONFLICT (group_name) DO UPDATE SET beat_at = excluded.beat_at, caught_up = excluded.caught_up`,
      values: [this.group, caughtUp],
    });
  }

  private async beatUntil(ended: AbortSignal): Promise<void> {
    while (!ended.aborted) {
      await this.beat(false);
      await pause(EVERY_MS, undefined, { signal: ended }).catch(() => undefined);
    }
  }
}

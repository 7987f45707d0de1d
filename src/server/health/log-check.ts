import { DeadlineExceeded, within } from '../../log/client-errors.js';
import { LogFull, LogUnavailable } from '../../log/event-log.js';
import type { EventLog } from '../../log/event-log.js';
import { explainFailure, LogUnusable } from '../../log/eventstoredb/usable.js';
import { NotReady } from './health.js';
import type { BoundedClock } from '../../base/support/bounded-clock.js';

/**
 * After this time without an answer, the log is asked for the reason, for example that no node of the cluster can be
 * reached. {@link Health} gives up only later.
 */
const SLOW_MS = 700;
const ANSWER_LIMIT_MS = 1_200;

export class LogCheck {
  private pending: Promise<void> = Promise.resolve();
  private failedAt = -Infinity;

  /** `monotonic`: a clock in milliseconds that never goes back. */
  constructor(
    private readonly log: EventLog,
    private readonly monotonic: () => number,
    private readonly clock?: BoundedClock,
  ) {}

  check(signal?: AbortSignal): Promise<void> {
    this.pending = this.explainIfSlow(this.usable(signal));
    return this.pending;
  }

  /** Returns for how many milliseconds no check of the log was seen to fail; 0 if the running one fails. */
  async reachableForMs(): Promise<number> {
    await within(ANSWER_LIMIT_MS, () => this.pending).catch(() => (this.failedAt = this.monotonic()));
    return this.monotonic() - this.failedAt;
  }

  private async explainIfSlow(usable: Promise<void>): Promise<void> {
    try {
      return await within(SLOW_MS, () => usable);
    } catch (error) {
      if (!(error instanceof DeadlineExceeded)) throw error;
    }
    const reason = await this.log.explain('read');
    if (reason !== undefined) throw new NotReady(reason);
    return usable;
  }

  /** Checks reads and writes: a log that answers reads may still refuse writes. */
  private async usable(signal: AbortSignal | undefined): Promise<void> {
    const { log } = this;
    let isRead = false;
    try {
      await explainFailure(log, 'read', log.reach(signal, ANSWER_LIMIT_MS));
      isRead = true;
      await explainFailure(log, 'append', log.checkWritable());
    } catch (error) {
      if (error instanceof LogUnusable) throw new NotReady(error.message);
      if (error instanceof LogFull)
        throw new NotReady('The disk of the event log is full: nothing can be written until space is freed.');
      if (isRead && error instanceof LogUnavailable) throw this.readOnly();
      throw error;
    }
  }

  /** An append has a deadline by the clock of this process: a server whose clock is an hour ahead refuses each. */
  private readOnly(): NotReady {
    const readOnly = 'The event log answers reads but takes no writes.';
    const fault = this.clock?.fault();
    return new NotReady(fault === undefined ? readOnly : `${readOnly} ${fault}`, readOnly);
  }
}

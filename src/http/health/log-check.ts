import { DeadlineExceeded, within } from '../../log/eventstoredb/client-errors.js';
import { LogFull, LogUnavailable } from '../../log/event-log.js';
import type { EventLog } from '../../log/event-log.js';
import { explained, LogUnusable } from '../../log/eventstoredb/usable.js';
import { NotReady } from './health.js';

/** What takes longer may be a cluster of which no node can be asked: why is found out before {@link Health} gives up. */
const PATIENCE_MS = 700;
/** Shortly before it does. */
const LATE_MS = 1_200;

/** Looks at the log for `/readyz`, and knows when it was last away. */
export class LogCheck {
  private looking: Promise<void> = Promise.resolve();
  private awayAt = -Infinity;

  /** `monotonic`: milliseconds of a clock that never jumps. */
  constructor(
    private readonly log: EventLog,
    private readonly monotonic: () => number,
  ) {}

  /** @throws {NotReady} where it is known what is wrong. */
  look(signal?: AbortSignal): Promise<void> {
    this.looking = this.patiently(this.usable(signal));
    return this.looking;
  }

  /** For how long it has answered every look, in milliseconds, the one that is under way included. */
  async answeredForMs(): Promise<number> {
    await within(LATE_MS, () => this.looking).catch(() => (this.awayAt = this.monotonic()));
    return this.monotonic() - this.awayAt;
  }

  private async patiently(usable: Promise<void>): Promise<void> {
    try {
      return await within(PATIENCE_MS, () => usable);
    } catch (error) {
      if (!(error instanceof DeadlineExceeded)) throw error;
    }
    const reason = await this.log.explain('read');
    if (reason !== undefined) throw new NotReady(reason);
    return usable;
  }

  /** A log that answers reads may have stopped writing: both are looked at. */
  private async usable(signal: AbortSignal | undefined): Promise<void> {
    const { log } = this;
    let isRead = false;
    try {
      await explained(log, 'read', log.reach(signal));
      isRead = true;
      await explained(log, 'append', log.checkWritable());
    } catch (error) {
      if (error instanceof LogUnusable) throw new NotReady(error.message);
      if (error instanceof LogFull)
        throw new NotReady('The disk of the event log is full: nothing can be written until there is room.');
      if (isRead && error instanceof LogUnavailable) throw new NotReady('The event log takes no writes.');
      throw error;
    }
  }
}

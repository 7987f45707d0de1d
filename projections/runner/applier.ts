import { setTimeout as pause } from 'node:timers/promises';
import type { ClientBase } from 'pg';
import type { Checkpoint } from '../../src/log/event-log.js';
import type { Recorded } from '../../src/log/recorded.js';
import { inTransaction } from '../../src/store/transaction.js';
import { EventFault, Halt, isFaultOfEvents, messageOf, SteppedAside } from './faults.js';
import type { Progress } from './checkpoint-store.js';
import type { Write } from './projection.js';
import { UnitOfWork } from './unit-of-work.js';

/** Before each further try of an event that could not be applied. */
const RETRY_PAUSES_MS = [100, 1_000];

/** Applies events to one group's tables: rows and progress in one transaction. */
export class Applier {
  constructor(
    private readonly client: ClientBase,
    private readonly progress: Progress,
    private readonly dispatch: (recorded: Recorded, write: Write) => void,
    private at: Checkpoint | undefined,
    private readonly inBuild = false,
  ) {}

  /**
   * Applies all, in order. If some event cannot be applied, those before it are.
   * @throws {Halt} names that event. {@link SteppedAside} another worker was here. Faults of Postgres as they come.
   */
  async apply(events: readonly Recorded[]): Promise<void> {
    try {
      await this.commit(events);
    } catch (error) {
      if (!(error instanceof EventFault)) throw error;
      if (events.length === 1) return this.retry(events, error);
      const half = Math.ceil(events.length / 2);
      await this.apply(events.slice(0, half));
      await this.apply(events.slice(half));
    }
  }

  private async retry(event: readonly Recorded[], fault: EventFault): Promise<void> {
    for (const wait of RETRY_PAUSES_MS) {
      await pause(wait);
      try {
        return await this.commit(event);
      } catch (error) {
        if (!(error instanceof EventFault)) throw error;
        fault = error;
      }
    }
    const [recorded] = event;
    throw new Halt(`${recorded?.event.type} cannot be applied: ${fault.message}`, recorded, { cause: fault });
  }

  private async commit(events: readonly Recorded[]): Promise<void> {
    const last = events.at(-1);
    if (!last) return;
    const to = { position: last.position, eventId: last.id };
    const work = this.collect(events);
    try {
      await inTransaction(this.client, async () => {
        if (!(await this.progress.advance(this.client, this.at, to)))
          throw new SteppedAside('another worker has moved the progress');
        await work.flush(this.client);
      });
    } catch (error) {
      if (isFaultOfEvents(error)) throw new EventFault(messageOf(error), { cause: error });
      throw error;
    }
    this.at = to;
  }

  private collect(events: readonly Recorded[]): UnitOfWork {
    const work = new UnitOfWork(this.inBuild);
    try {
      for (const recorded of events) this.dispatch(recorded, work.write);
    } catch (error) {
      throw new EventFault(messageOf(error), { cause: error });
    }
    return work;
  }
}

import { setTimeout as pause } from 'node:timers/promises';
import type { ClientBase } from 'pg';
import type { Checkpoint } from '../../src/log/event-log.js';
import type { Recorded } from '../../src/log/recorded.js';
import { inTransaction } from '../../src/store/transaction.js';
import {
  PoisonEventError,
  ProjectionStoppedError,
  isFaultOfEvents,
  messageOf,
  LockLostError,
} from './faults.js';
import type { CheckpointStore } from './checkpoint-store.js';
import type { Write } from './projection.js';
import { UnitOfWork } from './unit-of-work.js';

/** Before each further try of an event that could not be applied. */
const RETRY_PAUSES_MS = [100, 1_000];

/** Applies events to one group's tables: rows and progress in one transaction. */
export class Applier {
  constructor(
    private readonly client: ClientBase,
    private readonly progress: CheckpointStore,
    private readonly dispatch: (recorded: Recorded, write: Write) => void,
    private at: Checkpoint | undefined,
    private readonly isBulk = false,
  ) {}

  /**
   * Applies all, in order. If some event cannot be applied, those before it are.
   * @throws {ProjectionStoppedError} names that event. {@link LockLostError} another worker was here. Faults of Postgres as they come.
   */
  async apply(events: readonly Recorded[]): Promise<void> {
    try {
      await this.commit(events);
    } catch (error) {
      if (!(error instanceof PoisonEventError)) throw error;
      if (events.length === 1) return this.retry(events, error);
      const half = Math.ceil(events.length / 2);
      await this.apply(events.slice(0, half));
      await this.apply(events.slice(half));
    }
  }

  private async retry(event: readonly Recorded[], fault: PoisonEventError): Promise<void> {
    for (const wait of RETRY_PAUSES_MS) {
      await pause(wait);
      try {
        return await this.commit(event);
      } catch (error) {
        if (!(error instanceof PoisonEventError)) throw error;
        fault = error;
      }
    }
    const [recorded] = event;
    throw new ProjectionStoppedError(
      `${recorded?.event.type} cannot be applied: ${fault.message}`,
      recorded,
      { cause: fault },
    );
  }

  private async commit(events: readonly Recorded[]): Promise<void> {
    const last = events.at(-1);
    if (!last) return;
    const to = { position: last.position, eventId: last.id };
    const work = this.collect(events);
    try {
      await inTransaction(this.client, async () => {
        if (!(await this.progress.advance(this.client, this.at, to)))
          throw new LockLostError('another worker has moved the progress');
        await work.flush(this.client);
      });
    } catch (error) {
      if (isFaultOfEvents(error)) throw new PoisonEventError(messageOf(error), { cause: error });
      throw error;
    }
    this.at = to;
  }

  private collect(events: readonly Recorded[]): UnitOfWork {
    const work = new UnitOfWork(this.isBulk);
    try {
      for (const recorded of events) this.dispatch(recorded, work.write);
    } catch (error) {
      throw new PoisonEventError(messageOf(error), { cause: error });
    }
    return work;
  }
}

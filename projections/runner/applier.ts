import type { ClientBase } from 'pg';
import type { Checkpoint } from '../../src/log/event-log.js';
import type { Recorded } from '../../src/log/recorded.js';
import { commitAtOnce } from '../../src/base/store/transaction.js';
import { sleep } from '../../src/base/support/sleep.js';
import {
  PoisonEventError,
  ProjectionStoppedError,
  isPoisonFault,
  messageOf,
  LockLostError,
} from './faults.js';
import { hasMoved } from './checkpoint-store.js';
import type { CheckpointStore } from './checkpoint-store.js';
import type { Write } from './projection.js';
import { UnitOfWork } from './unit-of-work.js';

const RETRY_PAUSES_MS = [100, 1_000];

export class Applier {
  constructor(
    private readonly client: ClientBase,
    private readonly checkpoints: CheckpointStore,
    private readonly dispatch: (recorded: Recorded, write: Write) => void,
    private checkpoint: Checkpoint | undefined,
    private readonly isBulk = false,
  ) {}

  /**
   * Applies the events in order; rows and checkpoint change in one transaction. The events before a poison event are
   * committed.
   * @throws {ProjectionStoppedError} An event cannot be applied after retries; the error names that event.
   * @throws {LockLostError} Another worker has moved the checkpoint. Infrastructure faults of Postgres are not wrapped.
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
    for (const pauseMs of RETRY_PAUSES_MS) {
      await sleep(pauseMs);
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
      await commitAtOnce(this.client, [this.checkpoints.advance(this.checkpoint, to), ...work.statements()]);
    } catch (error) {
      if (hasMoved(error))
        throw new LockLostError(
          'another worker has moved the checkpoint of this group; nothing of this batch was committed',
        );
      if (isPoisonFault(error)) throw new PoisonEventError(messageOf(error), { cause: error });
      throw error;
    }
    this.checkpoint = to;
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

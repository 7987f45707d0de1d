import { Injectable } from '@nestjs/common';
import { Command, CommandHandler } from '@nestjs/cqrs';
import type { ICommandHandler } from '@nestjs/cqrs';
import {
  concludeBatch,
  concludeUndo,
  evolveBatch,
  noBatch,
  requestBatch,
  requestUndo,
} from '../../domain/batch/batch.js';
import type { Batch } from '../../domain/batch/batch.js';
import type { BatchEvent } from '../../domain/batch/events.js';
import type { Decision } from '../../domain/refusal.js';
import { EventLog } from '../../log/event-log.js';
import type { EventMetadata } from '../../log/recorded.js';
import { streams } from '../../log/streams.js';
import { AuthorityStore } from '../../base/store/authority/authority-store.js';
import { Clock } from '../../base/support/clock.js';
import { IdGenerator } from '../../base/support/id-generator.js';
import { decideAndProject } from '../support/decide-and-project.js';
import type { ChangeResult } from '../support/write-side.js';

type WithoutTime<Data> = Data extends unknown ? Omit<Data, 'at'> : never;

export type BatchChange = {
  [Type in BatchEvent['type']]: {
    readonly type: Type;
    readonly data: WithoutTime<Extract<BatchEvent, { type: Type }>['data']>;
  };
}[BatchEvent['type']];

/**
 * Requests a batch or its undo, or concludes one of them. Idempotent.
 * @throws {Refusal} `not_found`, `effect_mismatch`, `domain_plan_too_large`; errors of log and store.
 */
export class ChangeBatch extends Command<ChangeResult> {
  constructor(
    readonly change: BatchChange,
    readonly metadata: EventMetadata,
  ) {
    super();
  }
}

@Injectable()
@CommandHandler(ChangeBatch)
export class ChangeBatchHandler implements ICommandHandler<ChangeBatch> {
  constructor(
    private readonly log: EventLog,
    private readonly store: AuthorityStore,
    private readonly clock: Clock,
    private readonly ids: IdGenerator,
  ) {}

  execute({ change, metadata }: ChangeBatch): Promise<ChangeResult> {
    return decideAndProject<Batch, BatchEvent>(this.log, this.ids, this.store, {
      stream: streams.batch(change.data.batchId),
      initial: noBatch,
      evolve: evolveBatch,
      decide: (batch) => decide(batch, change, this.clock.now()),
      metadata,
    });
  }
}

function decide(batch: Batch, { type, data }: BatchChange, at: number): Decision<BatchEvent> {
  switch (type) {
    case 'batch.requested':
      return requestBatch(batch, { ...data, at });
    case 'batch.applied':
      return concludeBatch(batch, { ...data, at });
    case 'batch.undo_requested':
      return requestUndo(batch, { ...data, at });
    case 'batch.undone':
      return concludeUndo(batch, { ...data, at });
  }
}

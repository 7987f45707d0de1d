import { Command } from '@nestjs/cqrs';
import { concludeBatch, concludeUndo, requestBatch, requestUndo } from '../../domain/batch/batch.js';
import type { Batch } from '../../domain/batch/batch.js';
import type { BatchEvent } from '../../domain/batch/events.js';
import type { Decision } from '../../domain/refusal.js';
import type { EventMetadata } from '../../log/recorded.js';
import { aggregates } from '../support/aggregates.js';
import { handles } from '../support/handles.js';
import type { ChangeResult, Untimed } from '../support/write-side.js';

export type BatchChange = Untimed<BatchEvent>;

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

export const changeBatchHandler = handles(ChangeBatch, ({ change, metadata }, write) =>
  write.project(aggregates.batch(change.data.batchId), metadata, (batch) =>
    decide(batch, change, write.now()),
  ),
);

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

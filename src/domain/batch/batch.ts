import { Refusal } from '../refusal.js';
import type { Decision } from '../refusal.js';
import type { BatchApplied, BatchEvent, BatchRequested, BatchUndone, BatchUndoRequested } from './events.js';

/** Bounds the event that has them all. */
export const MAX_BATCH_ITEMS = 10_000;

/** Bounds the ids of a request to suspend accounts, which is sent in one body. */
export const MAX_BATCH_ACTORS = 2_000;

export interface Batch {
  readonly status: 'absent' | 'applying' | 'applied' | 'undoing' | 'undone';
}

export const noBatch: Batch = { status: 'absent' };

const statuses = {
  'batch.requested': 'applying',
  'batch.applied': 'applied',
  'batch.undo_requested': 'undoing',
  'batch.undone': 'undone',
} as const;

export const evolveBatch = (_: Batch, { type }: BatchEvent): Batch => ({ status: statuses[type] });

export function requestBatch(batch: Batch, data: BatchRequested['data']): Decision<BatchRequested> {
  if (data.items.length === 0) return new Refusal('effect_mismatch', 'There is nothing to do.');
  if (data.items.length > MAX_BATCH_ITEMS)
    return new Refusal(
      'domain_plan_too_large',
      `One batch has at most ${MAX_BATCH_ITEMS} items, and this one would have ${data.items.length}: part it.`,
    );
  return batch.status === 'absent' ? [{ type: 'batch.requested', data }] : [];
}

/** Empty: an undo was requested meanwhile, so the batch is not finished. */
export const concludeBatch = ({ status }: Batch, data: BatchApplied['data']): Decision<BatchApplied> =>
  status === 'applying' ? [{ type: 'batch.applied', data }] : [];

/** A batch that is still being applied stops. */
export function requestUndo(batch: Batch, data: BatchUndoRequested['data']): Decision<BatchUndoRequested> {
  if (batch.status === 'absent') return new Refusal('not_found', 'There is no such batch.');
  const isRequested = batch.status === 'undoing' || batch.status === 'undone';
  return isRequested ? [] : [{ type: 'batch.undo_requested', data }];
}

export const concludeUndo = ({ status }: Batch, data: BatchUndone['data']): Decision<BatchUndone> =>
  status === 'undoing' ? [{ type: 'batch.undone', data }] : [];

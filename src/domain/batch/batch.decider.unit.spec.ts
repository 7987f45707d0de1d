import { describe, expect, it } from '@jest/globals';
import {
  concludeBatch,
  concludeUndo,
  evolveBatch,
  MAX_BATCH_ITEMS,
  noBatch,
  requestBatch,
  requestUndo,
} from './batch.js';
import type { BatchEvent } from './events.js';

const given = (...events: BatchEvent[]) => events.reduce(evolveBatch, noBatch);

const data = { batchId: 'b', at: 1 };
const outcome = { ...data, changed: 1, skipped: [] };
const request = { ...data, kind: 'posts', items: ['p'] } as const;
const requested: BatchEvent = { type: 'batch.requested', data: request };
const applied: BatchEvent = { type: 'batch.applied', data: outcome };
const undoRequested: BatchEvent = { type: 'batch.undo_requested', data };
const undone: BatchEvent = { type: 'batch.undone', data: outcome };

describe('a batch', () => {
  it('is requested once', () => {
    expect(requestBatch(noBatch, request)).toEqual([requested]);
    expect(requestBatch(given(requested), request)).toEqual([]);
  });

  it.each([
    [0, 'effect_mismatch'],
    [MAX_BATCH_ITEMS + 1, 'domain_plan_too_large'],
  ])('of %d items is refused', (count, code) => {
    const items = Array.from({ length: count }, (_, n) => `p${n}`);
    expect(requestBatch(noBatch, { ...request, items })).toMatchObject({ code });
  });

  it('is concluded once, unless its undo was requested meanwhile', () => {
    expect(concludeBatch(given(requested), outcome)).toEqual([applied]);
    expect(concludeBatch(given(requested, applied), outcome)).toEqual([]);
    expect(concludeBatch(given(requested, undoRequested), outcome)).toEqual([]);
  });

  it('is undone once, also while it is being applied', () => {
    expect(requestUndo(given(requested), data)).toEqual([undoRequested]);
    expect(requestUndo(given(requested, applied), data)).toEqual([undoRequested]);
    expect(requestUndo(given(requested, undoRequested), data)).toEqual([]);
    expect(concludeUndo(given(requested, undoRequested), outcome)).toEqual([undone]);
    expect(concludeUndo(given(requested, undoRequested, undone), outcome)).toEqual([]);
    expect(requestUndo(given(requested, undoRequested, undone), data)).toEqual([]);
  });

  it('that nobody requested cannot be undone', () => {
    expect(requestUndo(noBatch, data)).toMatchObject({ code: 'not_found' });
  });
});

import { z } from 'zod';
import { clear, event, id, inData, omitted, pseudonym } from '../event.js';
import type { EventIn } from '../event.js';

export const batchKinds = ['posts', 'accounts'] as const;
/** `posts`: restricts posts. `accounts`: suspends accounts. */
export type BatchKind = (typeof batchKinds)[number];

const batch = { batchId: pseudonym(id) };
const outcome = event({
  ...batch,
  changed: inData(z.int().nonnegative()),
  skipped: omitted(z.array(id)),
});

export const batchEvents = {
  /** `items`: all posts or actors, once each, so that a resumed batch needs no search. `appId`: the batch is about it. */
  'batch.requested': event({
    ...batch,
    kind: inData(z.enum(batchKinds)),
    items: omitted(z.array(id)),
    appId: clear(id.optional()),
  }),
  /** `changed`: items that it restricted. `skipped`: items that were restricted already, deleted or erased meanwhile. */
  'batch.applied': outcome,
  'batch.undo_requested': event(batch),
  /** `changed`: items whose restriction it lifted. `skipped`: items that somebody acted on since: they stay as they are. */
  'batch.undone': outcome,
};

export type BatchRequested = EventIn<typeof batchEvents, 'batch.requested'>;
export type BatchApplied = EventIn<typeof batchEvents, 'batch.applied'>;
export type BatchUndoRequested = EventIn<typeof batchEvents, 'batch.undo_requested'>;
export type BatchUndone = EventIn<typeof batchEvents, 'batch.undone'>;
export type BatchEvent = EventIn<typeof batchEvents>;

import type { DomainEvent, EventTime } from '../event.js';

export const batchKinds = ['posts', 'accounts'] as const;
/** `posts`: restricts posts. `accounts`: suspends accounts. */
export type BatchKind = (typeof batchKinds)[number];

type BatchData = { readonly batchId: string } & EventTime;

/** `items`: all posts or actors, once each, so that a resumed batch needs no search. `appId`: the batch is about it. */
export type BatchRequested = DomainEvent<
  'batch.requested',
  {
    readonly kind: BatchKind;
    readonly items: readonly string[];
    readonly appId?: string | undefined;
  } & BatchData
>;

/** `changed`: items that it restricted. `skipped`: items that were restricted already, deleted or erased meanwhile. */
export type BatchApplied = DomainEvent<
  'batch.applied',
  { readonly changed: number; readonly skipped: readonly string[] } & BatchData
>;

export type BatchUndoRequested = DomainEvent<'batch.undo_requested', BatchData>;

/** `changed`: items whose restriction it lifted. `skipped`: items that somebody acted on since: they stay as they are. */
export type BatchUndone = DomainEvent<
  'batch.undone',
  { readonly changed: number; readonly skipped: readonly string[] } & BatchData
>;

export type BatchEvent = BatchRequested | BatchApplied | BatchUndoRequested | BatchUndone;

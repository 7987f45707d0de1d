import { hash } from 'node:crypto';

export type EntryKind = 'follow' | 'like' | 'reply' | 'mention';

/** The published Inbox entry. Timestamps are Unix milliseconds; `readAt` is absent until it is read. */
export interface InboxEntry {
  readonly id: string;
  readonly kind: EntryKind;
  readonly sourceActorId: string;
  readonly sourceId: string;
  readonly createdAt: number;
  readonly readAt?: number;
}

/** What an entry is about: who did what to whom. `sourceId`: of the follower, of the liked post, of the one that says something. */
export interface EntrySource {
  readonly kind: EntryKind;
  /** Whose inbox it is in. */
  readonly actorId: string;
  readonly sourceActorId: string;
  readonly sourceId: string;
}

/** The one identity of an entry, however often it happens: SHA-256 over all of it, its first 128 bits in base64url. */
export function entryId({ kind, actorId, sourceActorId, sourceId }: EntrySource): string {
  const digest = hash('sha256', JSON.stringify([kind, actorId, sourceActorId, sourceId]), 'buffer');
  return digest.subarray(0, 16).toString('base64url');
}

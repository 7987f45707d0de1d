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

/**
 * `actorId`: the inbox's owner. `sourceId`: the follower of a follow, the post of a like, or the replying or mentioning
 * post.
 */
export interface EntrySource {
  readonly kind: EntryKind;
  readonly actorId: string;
  readonly sourceActorId: string;
  readonly sourceId: string;
}

/**
 * Returns the entry's id, equal for every repetition: the first 128 bits of a SHA-256 over all fields, in base64url.
 */
export function entryId({ kind, actorId, sourceActorId, sourceId }: EntrySource): string {
  const digest = hash('sha256', JSON.stringify([kind, actorId, sourceActorId, sourceId]), 'buffer');
  return digest.subarray(0, 16).toString('base64url');
}

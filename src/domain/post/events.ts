import type { DomainEvent, EventTime } from '../event.js';

/**
 * A reply names its parent, the author of the parent (who is notified) and the root of its thread. Text and mentions
 * are personal. `mentions`: actors.
 */
export type PostCreated = DomainEvent<
  'post.created',
  {
    readonly postId: string;
    readonly authorActorId: string;
    readonly appId: string;
    readonly text: string;
    readonly audience: 'public';
    readonly mentions: readonly string[];
    readonly parentId?: string | undefined;
    readonly parentAuthorActorId?: string | undefined;
    readonly rootId?: string | undefined;
  } & EventTime
>;

/** Text and mentions replace the previous ones. `revision`: of the post, from 1. */
export type PostEdited = DomainEvent<
  'post.edited',
  {
    readonly postId: string;
    readonly authorActorId: string;
    readonly appId: string;
    readonly text: string;
    readonly mentions: readonly string[];
    readonly revision: number;
  } & EventTime
>;

export type PostDeleted = DomainEvent<
  'post.deleted',
  { readonly postId: string; readonly authorActorId: string } & EventTime
>;

export type PostRestricted = DomainEvent<
  'post.restricted',
  { readonly postId: string; readonly authorActorId: string } & EventTime
>;

export type PostUnrestricted = DomainEvent<
  'post.unrestricted',
  { readonly postId: string; readonly authorActorId: string } & EventTime
>;

export type PostEvent = PostCreated | PostEdited | PostDeleted | PostRestricted | PostUnrestricted;

import type { DomainEvent, Occurrence } from '../event.js';

/** A reply names its parent and the root of its thread; a post that starts a thread has neither. Text is personal. */
export type PostCreated = DomainEvent<
  'post.created',
  {
    readonly postId: string;
    readonly authorActorId: string;
    readonly appId: string;
    readonly text: string;
    readonly audience: 'public';
    readonly parentId?: string | undefined;
    readonly rootId?: string | undefined;
  } & Occurrence
>;

export type PostDeleted = DomainEvent<
  'post.deleted',
  { readonly postId: string; readonly authorActorId: string } & Occurrence
>;

export type PostEvent = PostCreated | PostDeleted;

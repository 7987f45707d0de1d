import type { DomainEvent, Occurrence } from '../event.js';

/**
 * A reply names its parent, whose author is told of it, and the root of its thread; a post that starts a thread has
 * none of these. Text and mentions are personal.
 */
export type PostCreated = DomainEvent<
  'post.created',
  {
    readonly postId: string;
    readonly authorActorId: string;
    readonly appId: string;
    readonly text: string;
    readonly audience: 'public';
    /** Actors whose handles the text names. */
    readonly mentions: readonly string[];
    readonly parentId?: string | undefined;
    readonly parentAuthorActorId?: string | undefined;
    readonly rootId?: string | undefined;
  } & Occurrence
>;

/** `text` and `mentions` are all that the post says from now on; `revision` is the post's, counted from 1. */
export type PostEdited = DomainEvent<
  'post.edited',
  {
    readonly postId: string;
    readonly authorActorId: string;
    readonly appId: string;
    readonly text: string;
    readonly mentions: readonly string[];
    readonly revision: number;
  } & Occurrence
>;

export type PostDeleted = DomainEvent<
  'post.deleted',
  { readonly postId: string; readonly authorActorId: string } & Occurrence
>;

/** An operator took it out of everybody's sight; who and why is in the event's metadata. */
export type PostRestricted = DomainEvent<
  'post.restricted',
  { readonly postId: string; readonly authorActorId: string } & Occurrence
>;

/** It is seen again, as it was. */
export type PostUnrestricted = DomainEvent<
  'post.unrestricted',
  { readonly postId: string; readonly authorActorId: string } & Occurrence
>;

export type PostEvent = PostCreated | PostEdited | PostDeleted | PostRestricted | PostUnrestricted;

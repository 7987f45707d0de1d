import type { InboxEntry } from '../inbox/inbox-entry.js';
import type { Post } from '../posts/post.js';
import type { RelationInView } from '../relations/relation.js';

export interface ChangedProfile {
  readonly actorId: string;
  readonly handle: string | null;
  readonly displayName: string;
  readonly bio: string;
  readonly website: string;
}

export type FeedSubject =
  | { readonly kind: 'post.created' | 'post.edited'; readonly post: Post }
  | { readonly kind: 'post.deleted'; readonly postId: string }
  | { readonly kind: 'relation.established' | 'relation.ended'; readonly relation: RelationInView }
  | { readonly kind: 'profile.changed'; readonly profile: ChangedProfile }
  | { readonly kind: 'inbox.added'; readonly entry: InboxEntry };

/**
 * A change for the caller, with its subject as the caller may see it now. Of a deleted post only the id appears; an
 * ended relation appears as it was. `at`: Unix milliseconds.
 */
export type FeedEvent = FeedSubject & {
  readonly position: number;
  readonly at: number;
  readonly actorId: string;
};

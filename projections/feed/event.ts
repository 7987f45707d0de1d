import type { InboxEntry } from '../inbox/entry.js';
import type { Post } from '../posts/post.js';
import type { RelationInView } from '../relations/relation.js';

/** What others see of a changed profile. */
export interface ChangedProfile {
  readonly actorId: string;
  readonly handle: string | null;
  readonly displayName: string;
  readonly bio: string;
  readonly website: string;
}

/** What an event is about, as the caller may see it now; of what was removed, what it was. */
export type Subject =
  | { readonly kind: 'post.created' | 'post.edited'; readonly post: Post }
  | { readonly kind: 'post.deleted'; readonly postId: string }
  | { readonly kind: 'relation.established' | 'relation.ended'; readonly relation: RelationInView }
  | { readonly kind: 'profile.changed'; readonly profile: ChangedProfile }
  | { readonly kind: 'inbox.added'; readonly entry: InboxEntry };

/** Something that changed for the caller. `at`: Unix milliseconds. `actorId`: who did it. */
export type FeedEvent = Subject & {
  readonly position: number;
  readonly at: number;
  readonly actorId: string;
};

import type { PostEvent } from '../domain/post/events.js';
import { evolvePost, noPost } from '../domain/post/post.js';
import type { Post } from '../domain/post/post.js';
import type { Recorded } from '../log/recorded.js';

/** The state of a post after a mutation, and the position in the log from which readers see it. */
export interface PostOutcome {
  readonly post: { readonly id: string; readonly revision: number; readonly status: 'published' | 'deleted' };
  readonly position: bigint;
}

/** A post from the events of its stream. */
export function postIn(recorded: readonly Recorded[]): Post {
  return recorded.map(({ event }) => event as PostEvent).reduce(evolvePost, noPost);
}

/**
 * What a mutation made of a post: the same for ever, unless the post was deleted since. `newest`: as it is now.
 * Undefined: there is no such post.
 */
export function outcomeOf(made: Post, newest: Post): PostOutcome['post'] | undefined {
  const post = newest.status === 'deleted' ? newest : made;
  if (post.status === 'absent') return undefined;
  const { id, revision, status } = post;
  return { id, revision, status };
}

import type { PostEvent } from '../../domain/post/events.js';
import { evolvePost, noPost } from '../../domain/post/post.js';
import type { Post, WrittenPost } from '../../domain/post/post.js';
import type { Recorded } from '../../log/recorded.js';

/** The state of a post after a mutation, and the position in the log from which readers see it. */
export interface PostOutcome {
  readonly post: Pick<WrittenPost, 'id' | 'revision' | 'status'>;
  readonly position: bigint;
}

/** A post from the events of its stream. */
export function postIn(recorded: readonly Recorded[]): Post {
  return recorded.map(({ event }) => event as PostEvent).reduce(evolvePost, noPost);
}

/**
 * What a mutation made of a post: the same revision for ever, unless the post was deleted since, with the status that it
 * has by now. `newest`: as it is now. Undefined: there is no such post.
 */
export function outcomeOf(made: Post, newest: Post): PostOutcome['post'] | undefined {
  if (made.status === 'absent' || newest.status === 'absent') return undefined;
  const { status } = newest;
  const { id, revision } = status === 'deleted' ? newest : made;
  return { id, revision, status };
}

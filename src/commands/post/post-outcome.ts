import type { PostEvent } from '../../domain/post/events.js';
import { evolvePost, noPost } from '../../domain/post/post.js';
import type { Post, WrittenPost } from '../../domain/post/post.js';
import type { Recorded } from '../../log/recorded.js';

export interface PostOutcome {
  readonly post: Pick<WrittenPost, 'id' | 'revision' | 'status'>;
  readonly position: bigint;
}

export function postOfEvents(recorded: readonly Recorded[]): Post {
  return recorded.map(({ event }) => event as PostEvent).reduce(evolvePost, noPost);
}

/**
 * The outcome of a mutation: the revision that it made, with the current status; once the post is deleted, the revision
 * of the deletion. Undefined: no such post.
 */
export function postOutcomeOf(made: Post, newest: Post): PostOutcome['post'] | undefined {
  if (made.status === 'absent' || newest.status === 'absent') return undefined;
  const { status } = newest;
  const { id, revision } = status === 'deleted' ? newest : made;
  return { id, revision, status };
}

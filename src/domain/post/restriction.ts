import { staleLifecycle } from '../lifecycle.js';
import type { ExpectedLifecycle } from '../lifecycle.js';
import { Refusal } from '../refusal.js';
import type { Decision } from '../refusal.js';
import type { PostRestricted, PostUnrestricted } from './events.js';
import type { Post, WrittenPost } from './post.js';

/** When an operator restricts a post, or lifts that (Unix ms), and what was seen of it. */
export interface Restricting extends ExpectedLifecycle {
  readonly at: number;
}

/** Takes a post out of everybody's sight, its author's too. Replies stay. */
export function restrictPost(post: Post, act: Restricting): Decision<PostRestricted> {
  const there = restrictable(post, act);
  if (there instanceof Refusal) return there;
  const { id: postId, authorActorId } = there;
  return there.status === 'restricted'
    ? []
    : [{ type: 'post.restricted', data: { postId, authorActorId, at: act.at } }];
}

/** Lets it be seen again, as it was. What its author has deleted meanwhile stays so. */
export function unrestrictPost(post: Post, act: Restricting): Decision<PostUnrestricted> {
  const there = restrictable(post, act);
  if (there instanceof Refusal) return there;
  const { id: postId, authorActorId } = there;
  return there.status === 'published'
    ? []
    : [{ type: 'post.unrestricted', data: { postId, authorActorId, at: act.at } }];
}

function restrictable(post: Post, seen: ExpectedLifecycle): WrittenPost | Refusal {
  if (post.status === 'absent') return new Refusal('not_found', 'There is no such post.');
  const stale = staleLifecycle(post, seen);
  if (stale) return stale;
  if (post.status === 'deleted')
    return new Refusal('post_deleted', 'Its author has deleted this post: nobody sees it, and nobody will.');
  return post;
}

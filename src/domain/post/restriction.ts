import { staleLifecycle } from '../lifecycle.js';
import type { ExpectedLifecycle, RestrictionSource } from '../lifecycle.js';
import { Refusal } from '../refusal.js';
import type { Decision } from '../refusal.js';
import type { PostRestricted, PostUnrestricted } from './events.js';
import type { Post, WrittenPost } from './post.js';

export interface RestrictionChange extends ExpectedLifecycle, RestrictionSource {
  readonly at: number;
}

export function restrictPost(post: Post, change: RestrictionChange): Decision<PostRestricted> {
  const current = restrictable(post, change);
  if (current instanceof Refusal) return current;
  const { id: postId, authorActorId } = current;
  return current.status === 'restricted' && change.addsGround !== true
    ? []
    : [{ type: 'post.restricted', data: { postId, authorActorId, at: change.at } }];
}

export function unrestrictPost(post: Post, change: RestrictionChange): Decision<PostUnrestricted> {
  const current = restrictable(post, change);
  if (current instanceof Refusal) return current;
  const { id: postId, authorActorId } = current;
  return current.status === 'published'
    ? []
    : [{ type: 'post.unrestricted', data: { postId, authorActorId, at: change.at } }];
}

function restrictable(post: Post, expected: ExpectedLifecycle): WrittenPost | Refusal {
  if (post.status === 'absent') return new Refusal('not_found', 'There is no such post.');
  const stale = staleLifecycle(post, expected);
  if (stale) return stale;
  if (post.status === 'deleted')
    return new Refusal(
      'post_deleted',
      'The author has deleted this post; it cannot be restricted or shown again.',
    );
  return post;
}

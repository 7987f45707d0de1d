import { readFeed } from '../../projections/feed/feed.read-model.js';
import { inboxOf } from '../../projections/inbox/inbox.read-model.js';
import { postById, postsOf, repliesOf } from '../../projections/posts/posts.read-model.js';
import { actorById, ownProfile } from '../../projections/profile/profile.read-model.js';
import { reconcile } from '../../projections/reconcile/reconcile.read-model.js';
import { followersOf, followingOf, ownRelations } from '../../projections/relations/relations.read-model.js';
import type { ReadQuery } from '../../projections/runner/read-query.js';
import { timelineOf } from '../../projections/timeline/timeline.read-model.js';
import { AUTHOR, THREAD } from './seed.js';

export interface ReadCase {
  readonly name: string;
  readonly path: string;
  readonly query: Pick<ReadQuery<never, unknown>, 'sql'>;
  readonly values: readonly unknown[];
}

const firstPage = { scan: 50, after: undefined };

/** Each read, of this author, of this thread, and of the changes behind this position. */
export function casesOf(actorId = AUTHOR, postId = THREAD, cursor = 1): readonly ReadCase[] {
  const author = { actorId };
  return [
    read('profile', '/api/profile', ownProfile, undefined),
    read('actor', `/api/actors/${actorId}`, actorById, author),
    read('post', `/api/posts/${postId}`, postById, { postId }),
    read('timeline', '/api/timeline', timelineOf, firstPage),
    read('replies', `/api/posts/${postId}/replies`, repliesOf, { postId, ...firstPage }),
    read('actor posts', `/api/actors/${actorId}/posts`, postsOf, { ...author, ...firstPage }),
    read('relations', '/api/relations', ownRelations, firstPage),
    read('following', `/api/actors/${actorId}/following`, followingOf, { ...author, ...firstPage }),
    read('followers', `/api/actors/${actorId}/followers`, followersOf, { ...author, ...firstPage }),
    read('inbox', '/api/inbox', inboxOf, firstPage),
    read('reconcile', '/api/reconcile', reconcile, { cursor: undefined }),
    read('events', `/api/events?cursor=${cursor}`, readFeed, { cursor, limit: 50 }),
  ];
}

function read<Args>(name: string, path: string, query: ReadQuery<Args, unknown>, args: Args): ReadCase {
  return { name, path, query, values: query.values(args) };
}

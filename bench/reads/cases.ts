import { readFeed } from '../../projections/feed/feed.read-model.js';
import { inboxOf } from '../../projections/inbox/inbox.read-model.js';
import { postById, postsOf, repliesOf } from '../../projections/posts/posts.read-model.js';
import {
  actorById,
  actorsByHandle,
  actorsByIds,
  ownProfile,
} from '../../projections/profile/profile.read-model.js';
import { reconcile } from '../../projections/reconcile/reconcile.read-model.js';
import { followersOf, followingOf, ownRelations } from '../../projections/relations/relations.read-model.js';
import type { ReadQuery } from '../../projections/runner/read-query.js';
import { timelineOf } from '../../projections/timeline/timeline.read-model.js';
import { numbered } from '../society.js';
import { AUTHOR, THREAD } from './seed.js';

export interface ReadCase {
  readonly name: string;
  readonly path: string;
  readonly query: Pick<ReadQuery<never, unknown>, 'sql'>;
  readonly values: readonly unknown[];
}

const firstPage = { scan: 50, after: undefined };

/** `actorIds`: as many as one request takes. `cursor`: a position behind which changes are read. */
interface Subjects {
  readonly actorId: string;
  readonly handle: string;
  readonly actorIds: readonly string[];
  readonly postId: string;
  readonly cursor: number;
}

const seeded: Subjects = {
  actorId: AUTHOR,
  handle: AUTHOR,
  actorIds: numbered('author', 50),
  postId: THREAD,
  cursor: 1,
};

export function casesOf({ actorId, handle, actorIds, postId, cursor } = seeded): readonly ReadCase[] {
  const author = { actorId };
  return [
    read('profile', '/api/profile', ownProfile, undefined),
    read('actor', `/api/actors/${actorId}`, actorById, author),
    read('actor by handle', `/api/actors?handle=${handle}`, actorsByHandle, { handle }),
    read('50 actors', `/api/actors?ids=${actorIds.join(',')}`, actorsByIds, { actorIds }),
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

import { ownBlocks } from '../../../../projections/blocks/blocks.read-model.js';
import { readFeed } from '../../../../projections/feed/feed.read-model.js';
import { sharedFeed } from '../../../../projections/feed/shared-feed.read-model.js';
import { inboxOf, unreadCountOf } from '../../../../projections/inbox/inbox.read-model.js';
import { intentOutcomes } from '../../../../projections/intents/intents.read-model.js';
import {
  postById,
  postsOf,
  publicTexts,
  publicVersions,
  repliesOf,
} from '../../../../projections/posts/posts.read-model.js';
import { surroundings } from '../../../../projections/posts/surroundings.read-model.js';
import { actorNumbers } from '../../../../projections/profile/actor-numbers.read-model.js';
import {
  actorById,
  actorsByHandle,
  actorsByIds,
  ownProfile,
  publicProfiles,
} from '../../../../projections/profile/profile.read-model.js';
import { reconcile } from '../../../../projections/reconcile/reconcile.read-model.js';
import {
  followersOf,
  followingOf,
  ownRelations,
} from '../../../../projections/relations/relations.read-model.js';
import type { ReadQuery } from '../../../../projections/runner/read-query.js';
import { timelineOf } from '../../../../projections/timeline/timeline.read-model.js';
import { admissionParameters, admittedReadSql } from '../admission/admission-sql.js';
import { sharedAdmissionParameters, admittedSharedReadSql } from '../admission/shared-admission-sql.js';

/** A parameter with the value that the printed statement is executed with. */
export interface Parameter {
  readonly value: unknown;
  readonly meaning: string;
}

/** A read as the API sends it to Postgres: one statement that admits the caller and selects the data. */
export interface AssembledRead {
  readonly purpose: string;
  /** Name of the query; the names of its prepared statements in the API begin with it. */
  readonly queryName: string;
  readonly text: (schemaName: string) => string;
  readonly parameters: (incarnation: string) => readonly Parameter[];
}

const afterToken = [
  'now, Unix ms',
  'incarnation',
  'scope that the read requires; NULL: none',
  'log position that the answer must show; NULL: none',
];
const page = { scan: 20, after: undefined };
const actor = { actorId: 'ACTOR' };
const post = { postId: 'POST' };
const pageOfRelations = [
  'rows to scan',
  'log position of the first page',
  'key: Unix ms',
  'key: log position',
];

/** The reads of the API, by the names that `npm run sql` takes. */
export const assembledReads: Readonly<Record<string, AssembledRead>> = {
  actor: read('GET /api/actors/{actorId}', actorById, actor, ['actor']),
  'actor-posts': read('GET /api/actors/{actorId}/posts', postsOf, { ...actor, ...page }, [
    'author',
    'rows to scan',
    'posts before this log position',
  ]),
  'actors-by-handle': read('GET /api/actors?handle=', actorsByHandle, { handle: 'HANDLE' }, ['handle']),
  'actors-by-ids': read('GET /api/actors?ids=', actorsByIds, { actorIds: ['ACTOR'] }, ['actors']),
  blocks: read('GET /api/blocks', ownBlocks, undefined, []),
  feed: read('GET /api/events', readFeed, { cursor: 0, limit: 100 }, [
    'changes after this position',
    'changes',
  ]),
  followers: read('GET /api/actors/{actorId}/followers', followersOf, { ...actor, ...page }, [
    'followed actor',
    ...pageOfRelations,
  ]),
  following: read('GET /api/actors/{actorId}/following', followingOf, { ...actor, ...page }, [
    'following actor',
    ...pageOfRelations,
  ]),
  inbox: read('GET /api/inbox', inboxOf, page, ['rows to scan', 'entries before this position; NULL: all']),
  intents: read('POST /api/intents/lookup', intentOutcomes, { intentIds: ['INTENT'] }, ['intents']),
  post: read('GET /api/posts/{id}', postById, post, ['post']),
  profile: read('GET /api/profile', ownProfile, undefined, []),
  'public-posts': read('posts in answers to operators', publicVersions, { postIds: ['POST'] }, ['posts']),
  'public-profiles': read('profiles in answers to operators', publicProfiles, { actorIds: ['ACTOR'] }, [
    'actors',
  ]),
  'actor-numbers': read('numbers of a person in answers to operators', actorNumbers, { ...actor, now: 0 }, [
    'actor',
    'begin of the first day, Unix ms',
  ]),
  'public-texts': read('texts of posts on pages of operators', publicTexts, { postIds: ['POST'] }, ['posts']),
  reconcile: read('GET /api/reconcile', reconcile, { cursor: undefined }, [
    'log position of an earlier view; NULL: the full view',
  ]),
  relations: read('GET /api/relations', ownRelations, page, pageOfRelations),
  replies: read('GET /api/posts/{id}/replies', repliesOf, { ...post, ...page }, [
    'parent post',
    'rows to scan',
    'replies after this log position',
  ]),
  'shared-feed': {
    purpose: 'open streams of GET /api/events',
    queryName: sharedFeed.name,
    text: (schemaName) => admittedSharedReadSql(schemaName, sharedFeed),
    parameters: (incarnation) => [
      ...described(
        sharedAdmissionParameters({
          tokenHashes: [null],
          now: Date.now(),
          incarnation,
          scope: null,
          cursors: ['0'],
        }),
        [
          "callers: array of sha256('ACCESS TOKEN'), NULL for an anonymous one",
          ...afterToken.slice(0, -1),
          "the callers' cursors",
        ],
      ),
      ...described(sharedFeed.values({ most: 1_000 }), ['changes to scan']),
    ],
  },
  surroundings: read(
    'posts around a reported one',
    surroundings,
    { authorActorId: 'ACTOR', postId: 'POST', limit: 5 },
    ['author', 'post', 'other posts'],
  ),
  timeline: read('GET /api/timeline', timelineOf, page, ['rows to scan', 'posts before this log position']),
  'unread-count': read('answer of POST /api/inbox/read', unreadCountOf, undefined, []),
};

function read<Args>(
  purpose: string,
  query: ReadQuery<Args, unknown>,
  args: Args,
  meanings: readonly string[],
): AssembledRead {
  return {
    purpose,
    queryName: query.name,
    text: (schemaName) => admittedReadSql(schemaName, query),
    parameters: (incarnation) => [
      ...described(
        admissionParameters({
          tokenHash: null,
          now: Date.now(),
          incarnation,
          scope: null,
          minPosition: null,
        }),
        ["caller: sha256('ACCESS TOKEN'); NULL: anonymous", ...afterToken],
      ),
      ...described(query.values(args), meanings),
    ],
  };
}

const described = (values: readonly unknown[], meanings: readonly string[]): Parameter[] =>
  values.map((value, index) => ({ value, meaning: meanings[index] ?? '' }));

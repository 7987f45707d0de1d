import { randomUUID } from 'node:crypto';
import { allScopes } from '../../../src/domain/grant/scopes.js';
import { send } from '../../support/api.js';
import type { Answer, SignedIn } from '../../support/api.js';
import { createPost } from '../../support/posts.js';

/** The people and posts that requests refer to. */
export interface Fixtures {
  readonly baseUrl: string;
  /** Sends the requests. */
  readonly alice: SignedIn;
  readonly bob: SignedIn;
  /** Bob's post and Alice's. */
  readonly theirs: string;
  readonly own: string;
}

type Fields = Readonly<Record<string, unknown>>;

/** An operation of the social API, with everything for a request that is answered with 200. */
export interface Operation {
  readonly id: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** `{bob}`, `{theirs}` and `{own}` stand for the members of {@link Fixtures}. */
  readonly path: string;
  /** Undefined: any token is accepted. */
  readonly scope?: string;
  /** No token is needed. */
  readonly isPublic?: true;
  readonly query?: (world: Fixtures) => Readonly<Record<string, string>>;
  readonly body?: (world: Fixtures) => Fields;
  /** Outcome for an unknown id in the path. */
  readonly unknown?: readonly [status: number, code: string | undefined];
  /** Member of the answer that comes in pages. */
  readonly pages?: string;
}

const intent = () => ({ intentId: randomUUID() });

const notFound = [404, 'not_found'] as const;
const noPost = [404, 'post_unavailable'] as const;
const public_ = { method: 'GET', scope: 'read', isPublic: true } as const;
const private_ = { method: 'GET', scope: 'read' } as const;

/** Every operation except those of the authorization server. */
export const operations: readonly Operation[] = [
  { id: 'getSession', method: 'GET', path: '/api/session' },
  { id: 'getOwnProfile', path: '/api/profile', ...private_ },
  {
    id: 'changeOwnProfile',
    method: 'PATCH',
    path: '/api/profile',
    scope: 'profile:write',
    body: () => ({ ...intent(), revision: 1, handle: null, displayName: 'Alice', bio: 'new', website: '' }),
  },
  { id: 'findActors', path: '/api/actors', query: ({ bob }) => ({ ids: bob.actorId }), ...public_ },
  { id: 'getActor', path: '/api/actors/{bob}', unknown: notFound, ...public_ },
  { id: 'listPostsOfActor', path: '/api/actors/{bob}/posts', unknown: notFound, pages: 'posts', ...public_ },
  {
    id: 'listFollowing',
    path: '/api/actors/{bob}/following',
    unknown: notFound,
    pages: 'actors',
    ...public_,
  },
  {
    id: 'listFollowers',
    path: '/api/actors/{bob}/followers',
    unknown: notFound,
    pages: 'actors',
    ...public_,
  },
  {
    id: 'createPost',
    method: 'POST',
    path: '/api/posts',
    scope: 'post:create',
    body: ({ theirs }) => ({ ...intent(), text: 'a reply', audience: 'public', parentId: theirs }),
  },
  { id: 'getPost', path: '/api/posts/{theirs}', unknown: noPost, ...public_ },
  {
    id: 'editPost',
    method: 'PATCH',
    path: '/api/posts/{own}',
    scope: 'post:edit',
    body: () => ({ ...intent(), revision: 1, text: 'new' }),
    unknown: noPost,
  },
  {
    id: 'deletePost',
    method: 'DELETE',
    path: '/api/posts/{own}',
    scope: 'post:delete',
    query: () => ({ ...intent(), revision: '1' }),
    unknown: noPost,
  },
  { id: 'listReplies', path: '/api/posts/{theirs}/replies', unknown: noPost, pages: 'posts', ...public_ },
  { id: 'getTimeline', path: '/api/timeline', pages: 'posts', ...private_ },
  { id: 'listEvents', path: '/api/events', ...public_ },
  { id: 'reconcile', path: '/api/reconcile', ...public_ },
  { id: 'listInbox', path: '/api/inbox', pages: 'inbox', ...private_ },
  {
    id: 'markInboxRead',
    method: 'POST',
    path: '/api/inbox/read',
    scope: 'inbox:write',
    body: () => ({ ...intent(), upTo: 1 }),
  },
  { id: 'listOwnRelations', path: '/api/relations', pages: 'relations', ...private_ },
  {
    id: 'establishRelation',
    method: 'PUT',
    path: '/api/relations/follow/{bob}',
    scope: 'relation:write',
    body: intent,
    unknown: [403, 'interaction_unavailable'],
  },
  {
    id: 'endRelation',
    method: 'DELETE',
    path: '/api/relations/follow/{bob}',
    scope: 'relation:write',
    query: intent,
    unknown: [200, undefined],
  },
  { id: 'listOwnBlocks', method: 'GET', path: '/api/blocks', scope: 'block:read' },
  {
    id: 'unblockActor',
    method: 'DELETE',
    path: '/api/blocks/{bob}',
    scope: 'block:write',
    query: intent,
    unknown: [200, undefined],
  },
  {
    id: 'blockActor',
    method: 'PUT',
    path: '/api/blocks/{bob}',
    scope: 'block:write',
    body: intent,
    unknown: notFound,
  },
  {
    id: 'createReport',
    method: 'POST',
    path: '/api/reports',
    scope: 'report:create',
    body: ({ bob }) => ({ ...intent(), actorId: bob.actorId, reason: 'spam', text: 'look' }),
  },
  {
    id: 'lookUpIntents',
    method: 'POST',
    path: '/api/intents/lookup',
    scope: 'read',
    body: () => ({ intentIds: ['one', 'two'] }),
  },
];

/** All operations with an intent. */
export const mutations = operations.filter(({ id, method }) => method !== 'GET' && id !== 'lookUpIntents');

export const everyScope = allScopes.filter((scope) => scope !== 'offline_access');

export const createFixtures = async (baseUrl: string, alice: SignedIn, bob: SignedIn): Promise<Fixtures> => ({
  baseUrl,
  alice,
  bob,
  theirs: await createPost(bob),
  own: await createPost(alice),
});

/** `by`: token; undefined: none. */
export interface Request {
  readonly method: string;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly by?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A request of Alice that is answered with 200, with a new intent. */
export function requestOf({ method, path, query, body }: Operation, world: Fixtures): Request {
  return {
    method,
    path: path.replace(/\{(\w+)\}/, (_, name) => idIn(world, name)),
    query: query?.(world) ?? {},
    body: body?.(world),
    by: world.alice.token,
  };
}

function idIn({ bob, theirs, own }: Fixtures, name: string): string {
  const ids: Readonly<Record<string, string>> = { bob: bob.actorId, theirs, own };
  return ids[name] ?? '';
}

/** `more`: further query text, not encoded again. */
export function sendRequest(
  { baseUrl }: Pick<Fixtures, 'baseUrl'>,
  { method, path, query, body, by, headers }: Request,
  more = '',
): Promise<Answer> {
  const asked = [new URLSearchParams(query).toString(), more].filter((part) => part !== '').join('&');
  return send(baseUrl, method, asked === '' ? path : `${path}?${asked}`, {
    body,
    headers: { ...(by !== undefined && { authorization: `Bearer ${by}` }), ...headers },
  });
}

export const outcomeOf = ({ status, body }: Answer): [number, string | undefined] => [status, body?.error];

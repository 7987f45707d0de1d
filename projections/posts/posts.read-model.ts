import type { PageQuery } from '../runner/page-query.js';
import type { ReadQuery } from '../runner/read-query.js';
import { isAccountVisible, isPostVisible, isPublished } from '../visibility.sql.js';
import type { Post } from './post.js';
import {
  POSITION_AFTER_NEWEST_POST,
  POSITION_BEFORE_OLDEST_POST,
  postsJson,
  postsPageJson,
  postWithId,
  presentPage,
  presentPosts,
} from './post.sql.js';
import type { PostColumns } from './post.sql.js';

export const postById: ReadQuery<{ readonly postId: string }, Post | null> = {
  name: 'post-by-id',
  values: ({ postId }) => [postId],
  sql: ({ schema, parameter }) => postsJson(schema, postWithId(schema, parameter(1)), 'ASC'),
  present: (json) => presentPosts(json as PostColumns)[0] ?? null,
};

/** An actor's posts, newest first. Null: the caller sees no such actor. */
export const postsOf: PageQuery<{ readonly actorId: string }, Post> = {
  name: 'posts-of',
  arity: 1,
  values: ({ actorId, scan, after }) => [actorId, scan, String(after?.[0] ?? POSITION_AFTER_NEWEST_POST)],
  sql: ({ schema, parameter }) => {
    const candidates = `
      SELECT candidate.*
      FROM ${schema}.post candidate
      WHERE candidate.author_actor_id = ${parameter(1)} AND ${isPublished('candidate')}
        AND candidate.position < ${parameter(3)}::bigint`;
    return `(
      SELECT ${postsPageJson(schema, candidates, { scan: parameter(2), order: 'DESC' })}
      FROM ${schema}.actor
      WHERE actor.actor_id = ${parameter(1)} AND ${isAccountVisible(schema, 'actor')})`;
  },
  present: (json) => (json === null ? null : presentPage(json)),
};

/** `value`: SQL, of each of those posts that the caller may see, by id. */
const ofVisiblePosts = <Value>(
  name: string,
  value: string,
): ReadQuery<{ readonly postIds: readonly string[] }, ReadonlyMap<string, Value>> => ({
  name,
  values: ({ postIds }) => [postIds],
  sql: ({ schema, parameter }) => `(
      SELECT json_object_agg(post.id, ${value})
      FROM unnest(${parameter(1)}::text[]) AS wanted(id)
      CROSS JOIN LATERAL (
        SELECT post.* FROM ${schema}.post
        WHERE post.id = wanted.id AND ${isPostVisible(schema, 'post')} OFFSET 0) post)`,
  present: (json) => new Map(Object.entries((json ?? {}) as Readonly<Record<string, Value>>)),
});

/** `words`: the first characters of its text. */
export interface PublicVersion {
  readonly revision: number;
  readonly words: string;
}

export const publicVersions = ofVisiblePosts<PublicVersion>(
  'public-versions',
  `json_build_object('revision', post.revision, 'words', left(post.text, 120))`,
);

export const publicTexts = ofVisiblePosts<string>('public-texts', 'post.text');

export const repliesOf: PageQuery<{ readonly postId: string }, Post> = {
  name: 'replies-of',
  arity: 1,
  values: ({ postId, scan, after }) => [postId, scan, String(after?.[0] ?? POSITION_BEFORE_OLDEST_POST)],
  sql: ({ schema, parameter }) => {
    const candidates = `
      SELECT reply.*
      FROM ${schema}.post reply
      WHERE reply.parent_id = ${parameter(1)} AND ${isPublished('reply')}
        AND reply.position > ${parameter(3)}::bigint`;
    return `(
      SELECT ${postsPageJson(schema, candidates, { scan: parameter(2), order: 'ASC' })}
      FROM ${schema}.post thread
      WHERE thread.id = ${parameter(1)} AND ${isPostVisible(schema, 'thread')})`;
  },
  present: (json) => (json === null ? null : presentPage(json)),
};

import type { ReadQuery } from '../runner/read-query.js';
import type { Post } from './post.js';
import { isPublished, isVisible, postsJson, presentPosts } from './post.sql.js';
import type { PostColumns } from './post.sql.js';

export interface RepliesPage {
  readonly postId: string;
  /** Most replies on the page, at least 1. */
  readonly limit: number;
  /** `next` of the page before. */
  readonly after?: bigint | undefined;
}

export interface Replies {
  /** The post itself cannot be shown to this caller: it is deleted. */
  readonly parentUnavailable: boolean;
  readonly posts: readonly Post[];
  /** Keyset of the following page, which may turn out empty; null on a page that was not full. */
  readonly next: bigint | null;
}

interface PageJson {
  readonly parentUnavailable: boolean;
  readonly posts: PostColumns;
  readonly next: string | null;
}

/** Direct replies of a post, oldest first, cut before the rules of visibility apply. Null: there never was such a post. */
export const repliesOf: ReadQuery<RepliesPage, Replies | null> = {
  name: 'replies-of',
  values: ({ postId, limit, after }) => [postId, limit, String(after ?? -1n)],
  sql: ({ schema, parameter }) => `(
    WITH page AS MATERIALIZED (
      SELECT reply.id AS post_id, reply.position
      FROM ${schema}.post reply
      WHERE reply.parent_id = ${parameter(1)} AND ${isPublished('reply')}
        AND reply.position > ${parameter(3)}::numeric
      ORDER BY reply.position
      LIMIT ${parameter(2)}::integer
    )
    SELECT json_build_object(
      'parentUnavailable', NOT (${isVisible('thread')}),
      'posts', ${postsJson(schema, 'page', 'ASC')},
      'next', (SELECT max(position)::text FROM page HAVING count(*) = ${parameter(2)}::integer))
    FROM ${schema}.post thread
    WHERE thread.id = ${parameter(1)})`,
  present(json) {
    if (json === null) return null;
    const { posts, next, ...page } = json as PageJson;
    return { ...page, posts: presentPosts(posts), next: next === null ? null : BigInt(next) };
  },
};

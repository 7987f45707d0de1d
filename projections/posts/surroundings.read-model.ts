import type { ReadQuery } from '../runner/read-query.js';
import { isPostVisible, isPublished } from '../visibility.sql.js';
import { postWithId } from './post.sql.js';

/** Posts around another one. `newest`: ids, the newest first. */
export interface Surroundings {
  readonly thread: readonly { readonly postId: string; readonly authorActorId: string }[];
  readonly newest: readonly string[];
}

export const noSurroundings: Surroundings = { thread: [], newest: [] };

/**
 * The root and the parent of a post, whether or not the caller may see them, and the newest others of its author that the
 * caller may see.
 */
export const surroundings: ReadQuery<
  { readonly authorActorId: string; readonly postId: string | undefined; readonly limit: number },
  Surroundings
> = {
  name: 'surroundings',
  values: ({ authorActorId, postId, limit }) => [authorActorId, postId ?? null, limit],
  sql: ({ schema, parameter }) => `(
      SELECT json_build_object(
        'thread', (
          SELECT coalesce(json_agg(json_build_object('postId', above.id, 'authorActorId', above.author_actor_id)
            ORDER BY above.position), '[]')
          FROM ${postWithId(schema, `${parameter(2)}::text`)} reported CROSS JOIN LATERAL (
            SELECT post.* FROM ${schema}.post WHERE post.id IN (reported.parent_id, reported.root_id) OFFSET 0) above),
        'newest', (
          SELECT coalesce(json_agg(listed.id ORDER BY listed.position DESC), '[]')
          FROM (
            SELECT post.* FROM ${schema}.post
            WHERE post.author_actor_id = ${parameter(1)}::text AND ${isPublished('post')}
              AND post.id IS DISTINCT FROM ${parameter(2)}::text
            ORDER BY post.position DESC LIMIT ${parameter(3)}::integer) listed
          WHERE ${isPostVisible(schema, 'listed')})))`,
  present: (json) => json as Surroundings,
};

import { isFollowedByCaller } from '../relations/relation.sql.js';
import { postWithId } from '../posts/post.sql.js';
import { isPublished } from '../visibility.sql.js';

/**
 * Returns a query of rows of the table `post`, to be ordered by position: the newest posts of the caller and of every
 * followed actor. It has up to `most` fanned-out rows, and up to `most` posts of each considered fan-out-on-read author.
 * All are before the position `after`. `isShown`: SQL condition on an author. All arguments are SQL.
 */
export function timelineCandidates(
  schema: string,
  {
    after,
    most,
    isShown,
  }: { readonly after: string; readonly most: string; readonly isShown: (author: string) => string },
): string {
  const newestOf = (author: string, limit: string, columns: string) => `
    SELECT ${columns} FROM ${schema}.post
    WHERE post.author_actor_id = ${author} AND ${isPublished('post')} AND post.position < ${after}
    ORDER BY post.position DESC LIMIT ${limit}`;
  // A fan-out-on-read author may have older rows in the timeline; DISTINCT ON removes the duplicates. Without
  // statistics of young tables, Postgres would scan all posts for each row; OFFSET 0 prevents that. Only the `most`
  // authors with the newest posts can contribute, however many are followed.
  return `
    SELECT DISTINCT ON (either.position) either.* FROM (
      (SELECT found.*
      FROM ${schema}.timeline
      CROSS JOIN LATERAL ${postWithId(schema, 'timeline.post_id')} found
      WHERE ${isPublished('found')} AND timeline.actor_id = caller.actor_id AND timeline.position < ${after}
        AND (found.author_actor_id = caller.actor_id OR ${isFollowedByCaller(schema, 'found.author_actor_id')})
        AND ${isShown('found.author_actor_id')}
      ORDER BY timeline.position DESC LIMIT ${most})
      UNION ALL
      SELECT own.*
      FROM (
        SELECT merged.actor_id
        FROM (
          SELECT relation.target_id AS actor_id FROM ${schema}.relation
          WHERE relation.actor_id = caller.actor_id AND relation.kind = 'follow' AND EXISTS (
            SELECT FROM ${schema}.merged_author WHERE merged_author.actor_id = relation.target_id OFFSET 0)
          OFFSET 0
        ) merged
        CROSS JOIN LATERAL (${newestOf('merged.actor_id', '1', 'post.position')}) newest
        WHERE ${isShown('merged.actor_id')}
        ORDER BY newest.position DESC LIMIT ${most}
      ) author
      CROSS JOIN LATERAL (${newestOf('author.actor_id', most, 'post.*')}) own
    ) either`;
}

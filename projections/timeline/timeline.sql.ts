import { isFollowed } from '../relations/relation.sql.js';

/**
 * The newest posts of the caller and of everybody whom the caller follows now, `post_id` and `position`: from the rows
 * that were fanned out, and of merged authors from their own posts. In no order, and of each of the two `most` (SQL)
 * before the position `after` (SQL). `isShown`: what else is asked of the row of `post` under an alias.
 */
export function timelineCandidates(
  schema: string,
  {
    after,
    most,
    isShown,
  }: { readonly after: string; readonly most: string; readonly isShown: (post: string) => string },
): string {
  // A merged author may have rows in the timeline, too, from before: the union drops them. OFFSET 0 keeps Postgres from
  // looking through all posts for each row, as it does while it has no statistics of young tables.
  return `
    SELECT post_id, position FROM (
      (SELECT timeline.post_id, timeline.position
      FROM ${schema}.timeline
      CROSS JOIN LATERAL (
        SELECT post.author_actor_id FROM ${schema}.post
        WHERE post.id = timeline.post_id AND ${isShown('post')}
        OFFSET 0
      ) found
      WHERE timeline.actor_id = caller.actor_id AND timeline.position < ${after}
        AND (found.author_actor_id = caller.actor_id OR ${isFollowed(schema, 'found.author_actor_id')})
      ORDER BY timeline.position DESC LIMIT ${most})
      UNION
      SELECT own.id, own.position
      FROM ${schema}.relation
      JOIN ${schema}.merged_author ON merged_author.actor_id = relation.target_actor_id
      CROSS JOIN LATERAL (
        SELECT post.id, post.position FROM ${schema}.post
        WHERE post.author_actor_id = relation.target_actor_id AND ${isShown('post')}
          AND post.position < ${after}
        ORDER BY post.position DESC LIMIT ${most}
      ) own
      WHERE relation.actor_id = caller.actor_id AND relation.kind = 'follow'
    ) either`;
}

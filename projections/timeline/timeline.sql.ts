import { isPublished } from '../visibility.sql.js';

/**
 * Returns a query of rows of the table `post`, to be ordered by position: the newest posts of the caller and of every
 * followed actor. It has up to `most` rows of the table `timeline`, and up to `most` posts of each author whose posts
 * are looked up. All are before the position `after`. `isShown`: SQL condition on an author. All arguments are SQL.
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
    WHERE post.author_actor_id = ${author}.actor_id AND ${isPublished('post')}
      AND post.position < least(${after}, ${author}.start) AND post.position > ${author}.until
    ORDER BY post.position DESC LIMIT ${limit}`;
  const isFollowed = (author: string) => `${author} IN (SELECT followed.actor_id FROM followed)`;
  // `entries.until`: the timeline's rows after this position are complete but for what is looked up. `start`: posts of
  // the author from before this position are looked up. Without statistics of young tables, Postgres would scan all
  // posts for each row; OFFSET 0 prevents that. Only the `most` authors with the newest posts can contribute, however
  // many are followed. A post that is looked up may also have a row; DISTINCT ON removes it.
  return `
    WITH followed AS MATERIALIZED (
      SELECT relation.target_id AS actor_id FROM ${schema}.relation
      WHERE relation.actor_id = caller.actor_id AND relation.kind = 'follow'
    ), entry AS MATERIALIZED (
      SELECT found.*
      FROM ${schema}.timeline
      CROSS JOIN LATERAL (
        SELECT post.* FROM ${schema}.post
        WHERE post.position = timeline.position AND ${isPublished('post')} AND post.audience = 'public' OFFSET 0) found
      WHERE timeline.actor_id = caller.actor_id AND timeline.position < ${after}
        AND (found.author_actor_id = caller.actor_id OR ${isFollowed('found.author_actor_id')})
        AND ${isShown('found.author_actor_id')}
      ORDER BY timeline.position DESC LIMIT ${most}
    ), entries AS MATERIALIZED (
      SELECT CASE WHEN count(*) < ${most} THEN -1 ELSE min(position) END AS until FROM entry
    ), author AS MATERIALIZED (
      SELECT actor_id, max(start) AS start, (SELECT until FROM entries) AS until FROM (
        SELECT actor_id, ${after} AS start FROM followed
        WHERE EXISTS (SELECT FROM ${schema}.merged_author WHERE merged_author.actor_id = followed.actor_id OFFSET 0)
        UNION ALL
        SELECT follow_start.author_actor_id, follow_start.position FROM ${schema}.follow_start, entries
        WHERE follow_start.actor_id = caller.actor_id AND follow_start.position > entries.until
          AND ${isFollowed('follow_start.author_actor_id')}
        UNION ALL
        SELECT either.actor_id, timeline_start.position
        FROM ${schema}.timeline_start, entries, (SELECT actor_id FROM followed UNION ALL SELECT caller.actor_id) either
        WHERE timeline_start.actor_id = caller.actor_id AND timeline_start.position > entries.until
      ) started
      WHERE ${isShown('started.actor_id')}
      GROUP BY actor_id
    )
    SELECT DISTINCT ON (either.position) either.* FROM (
      SELECT * FROM entry
      UNION ALL
      SELECT own.*
      FROM (
        SELECT author.* FROM author CROSS JOIN LATERAL (${newestOf('author', '1', 'post.position')}) newest
        ORDER BY newest.position DESC LIMIT ${most}
      ) latest
      CROSS JOIN LATERAL (${newestOf('latest', most, 'post.*')}) own
    ) either`;
}

import type { Post } from '../posts/post.js';
import { FROM_NEWEST, postsPageJson, presentPage } from '../posts/post.sql.js';
import type { PageQuery } from '../runner/page-query.js';
import { isPublished } from '../visibility.sql.js';

/** Posts of the caller and of everybody whom the caller follows now, replies included, newest first. */
export const timelineOf: PageQuery<object, Post> = {
  name: 'timeline-of',
  arity: 1,
  values: ({ scan, after }) => [scan, String(after?.[0] ?? FROM_NEWEST)],
  sql: ({ schema, parameter }) => {
    const [scan, after] = [`${parameter(1)}::integer`, `${parameter(2)}::numeric`];
    const isFollowed = (author: string) => `EXISTS (
      SELECT FROM ${schema}.relation
      WHERE relation.actor_id = caller.actor_id AND relation.kind = 'follow' AND relation.target_id = ${author})`;
    // A merged author may have rows in the timeline, too, from before: the union drops them. OFFSET 0 keeps Postgres from
    // looking through all posts for each row, as it does while it has no statistics of young tables.
    const candidates = `
      SELECT post_id, position FROM (
        (SELECT timeline.post_id, timeline.position
        FROM ${schema}.timeline
        CROSS JOIN LATERAL (
          SELECT post.author_actor_id FROM ${schema}.post
          WHERE post.id = timeline.post_id AND ${isPublished('post')}
          OFFSET 0
        ) found
        WHERE timeline.actor_id = caller.actor_id AND timeline.position < ${after}
          AND (found.author_actor_id = caller.actor_id OR ${isFollowed('found.author_actor_id')})
        ORDER BY timeline.position DESC LIMIT ${scan} + 1)
        UNION
        SELECT own.id, own.position
        FROM ${schema}.relation
        JOIN ${schema}.merged_author ON merged_author.actor_id = relation.target_actor_id
        CROSS JOIN LATERAL (
          SELECT post.id, post.position FROM ${schema}.post
          WHERE post.author_actor_id = relation.target_actor_id AND ${isPublished('post')}
            AND post.position < ${after}
          ORDER BY post.position DESC LIMIT ${scan} + 1
        ) own
        WHERE relation.actor_id = caller.actor_id AND relation.kind = 'follow'
      ) either`;
    return postsPageJson(schema, candidates, { scan: parameter(1), order: 'DESC' });
  },
  present: presentPage,
};

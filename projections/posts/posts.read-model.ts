import type { PageQuery } from '../runner/page-query.js';
import { isPostVisible, isPublished } from '../visibility.sql.js';
import type { Post } from './post.js';
import { FROM_OLDEST, postsPageJson, presentPage } from './post.sql.js';

/** Direct replies of a post, oldest first. Null: the post cannot be shown to this caller. */
export const repliesOf: PageQuery<{ readonly postId: string }, Post> = {
  name: 'replies-of',
  arity: 1,
  values: ({ postId, scan, after }) => [postId, scan, String(after?.[0] ?? FROM_OLDEST)],
  sql: ({ schema, parameter }) => {
    const candidates = `
      SELECT reply.id AS post_id, reply.position
      FROM ${schema}.post reply
      WHERE reply.parent_id = ${parameter(1)} AND ${isPublished('reply')}
        AND reply.position > ${parameter(3)}::numeric`;
    return `(
      SELECT ${postsPageJson(schema, candidates, { scan: parameter(2), order: 'ASC' })}
      FROM ${schema}.post thread
      WHERE thread.id = ${parameter(1)} AND ${isPostVisible(schema, 'thread')})`;
  },
  present: (json) => (json === null ? null : presentPage(json)),
};

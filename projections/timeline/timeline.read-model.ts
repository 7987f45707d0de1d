import type { Post } from '../posts/post.js';
import { POSITION_AFTER_NEWEST_POST, postsPageJson, presentPage } from '../posts/post.sql.js';
import type { PageQuery } from '../runner/page-query.js';
import { timelineCandidates } from './timeline.sql.js';

export const timelineOf: PageQuery<object, Post> = {
  name: 'timeline-of',
  arity: 1,
  values: ({ scan, after }) => [scan, String(after?.[0] ?? POSITION_AFTER_NEWEST_POST)],
  sql: ({ schema, parameter }) => {
    const [scan, after] = [`${parameter(1)}::integer`, `${parameter(2)}::bigint`];
    const candidates = timelineCandidates(schema, { after, most: `${scan} + 1`, isShown: () => 'true' });
    return postsPageJson(schema, candidates, { scan: parameter(1), order: 'DESC' });
  },
  present: presentPage,
};

import type { TableVerification } from '../runner/verification.js';

/** An intent exists from its first event; of several posts, the first counts. */
export const intentVerifications: readonly TableVerification[] = [
  {
    table: 'intent',
    key: ['app_id', 'actor_id', 'intent_id'],
    expected: `
      SELECT app_id, actor_id, intent_id, min(position) AS position,
        (array_agg(data->>'postId' ORDER BY n) FILTER (WHERE type LIKE 'post.%'))[1] AS post_id
      FROM fact
      WHERE app_id IS NOT NULL AND actor_id IS NOT NULL AND intent_id IS NOT NULL
        AND type IN ('post.created', 'post.edited', 'post.deleted', 'relation.established', 'relation.ended',
          'block.established', 'block.ended', 'profile.changed', 'inbox.read', 'report.created')
      GROUP BY app_id, actor_id, intent_id`,
    actual: 'SELECT app_id, actor_id, intent_id, position, post_id FROM intent',
  },
];

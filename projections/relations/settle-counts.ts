import { isUpTo } from './hidden-to.sql.js';

const next = (by: 1 | -1, stepSize: number, own: string, columns: string): string => {
  const order = by === 1 ? 'ASC' : 'DESC';
  return `
      SELECT follow.* FROM account CROSS JOIN LATERAL (
        SELECT ${columns}, relation.created_at, relation.position FROM relation
        WHERE relation.${own} = account.actor_id AND relation.kind = 'follow'
          AND ${isUpTo('relation', 'account', by === 1 ? '>' : '<=')}
        ORDER BY relation.created_at ${order}, relation.position ${order} LIMIT ${stepSize}) follow
      WHERE account.by = ${by}`;
};

const nextFollows = (by: 1 | -1, stepSize: number): string => `
      ${next(by, stepSize, 'target_actor_id', 'relation.actor_id, 1 AS following, 0 AS followers')}
      UNION ALL ${next(by, stepSize, 'actor_id', 'relation.target_actor_id AS actor_id, 0 AS following, 1 AS followers')}`;

/**
 * Hides the next follows of and by a suspended account from the counts of others, the oldest first, or shows those of a
 * reinstated one again, the newest first. Moves the mark of the account over them, and removes it behind the last.
 */
export const settleCounts = (stepSize: number): string => `
    WITH account AS MATERIALIZED (
      SELECT actor_id, hidden_to_at, hidden_to_position, CASE state WHEN 'active' THEN -1 ELSE 1 END AS by
      FROM actor WHERE hidden_to_at IS NOT NULL AND state <> 'erased' ORDER BY actor_id LIMIT 1
    ), step AS MATERIALIZED (
      SELECT follow.*, account.by FROM account CROSS JOIN (${nextFollows(1, stepSize)}
      UNION ALL ${nextFollows(-1, stepSize)}
      ) follow
      ORDER BY follow.created_at * account.by, follow.position * account.by LIMIT ${stepSize}
    ), counted AS (
      UPDATE relation_count SET hidden_following = relation_count.hidden_following + total.following,
        hidden_followers = relation_count.hidden_followers + total.followers
      FROM (
        SELECT actor_id, sum(following * by) AS following, sum(followers * by) AS followers FROM step
        GROUP BY actor_id ORDER BY actor_id) total
      WHERE relation_count.actor_id = total.actor_id
    ), mark AS (
      SELECT created_at AS hidden_to_at, CASE by WHEN 1 THEN position ELSE position - 1 END AS hidden_to_position
      FROM step ORDER BY created_at * by DESC, position * by DESC LIMIT 1
    ), moved AS (
      UPDATE actor SET hidden_to_at = mark.hidden_to_at, hidden_to_position = coalesce(mark.hidden_to_position, 0)
      FROM account LEFT JOIN mark ON (SELECT count(*) FROM step) = ${stepSize}
      WHERE actor.actor_id = account.actor_id
    )
    SELECT EXISTS (SELECT FROM account) AS more`;

import { isUpTo } from './hidden-up-to.sql.js';

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
      SELECT unsettled.*, CASE state WHEN 'active' THEN -1 ELSE 1 END AS by
      FROM unsettled JOIN actor USING (actor_id) WHERE state <> 'erased' ORDER BY actor_id LIMIT 1
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
      SELECT created_at AS at, CASE by WHEN 1 THEN position ELSE position - 1 END AS position
      FROM step ORDER BY step.created_at * by DESC, step.position * by DESC LIMIT 1
    ), moved AS (
      UPDATE unsettled SET up_to_at = mark.at, up_to_position = mark.position FROM account, mark
      WHERE unsettled.actor_id = account.actor_id AND (SELECT count(*) FROM step) = ${stepSize}
    ), settled AS (
      DELETE FROM unsettled USING account
      WHERE unsettled.actor_id = account.actor_id AND (SELECT count(*) FROM step) < ${stepSize}
    )
    SELECT EXISTS (SELECT FROM account) AS more`;

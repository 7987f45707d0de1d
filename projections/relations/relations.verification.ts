import { ERASED_ACTORS, SUSPENDED_ACTORS } from '../runner/verification.js';
import type { TableVerification } from '../runner/verification.js';

/**
 * A relation is active from its first event after its last end; both sides count active follows. Erased actors have no
 * follows, likes or followers. A suspended actor hides its follows, in both directions, from the counts of others.
 */
export const relationVerifications: readonly TableVerification[] = [
  {
    table: 'relation',
    key: ['actor_id', 'kind', 'target_id'],
    materializeAs: 'folded_relation',
    expected: `
      WITH relation_event AS (
        SELECT n, position, at, type, data->>'actorId' AS actor_id, data->>'kind' AS kind,
          data->>'targetId' AS target_id, data->>'targetActorId' AS target_actor_id,
          (data->>'generation')::integer AS generation
        FROM fact WHERE type IN ('relation.established', 'relation.ended')
      ), ended AS (
        SELECT actor_id, kind, target_id, max(n) AS n FROM relation_event WHERE type = 'relation.ended'
        GROUP BY actor_id, kind, target_id
      )
      SELECT DISTINCT ON (actor_id, kind, target_id) actor_id, kind, target_id, target_actor_id, generation,
        at AS created_at, position
      FROM relation_event LEFT JOIN ended USING (actor_id, kind, target_id)
      WHERE type = 'relation.established' AND relation_event.n > coalesce(ended.n, -1)
        AND actor_id NOT IN ${ERASED_ACTORS} AND NOT (kind = 'follow' AND target_actor_id IN ${ERASED_ACTORS})
      ORDER BY actor_id, kind, target_id, relation_event.n`,
    actual: `
      SELECT actor_id, kind, target_id, target_actor_id, generation, created_at, position FROM relation`,
  },
  {
    table: 'relation_count',
    key: ['actor_id'],
    expected: `
      SELECT actor_id, sum(following)::bigint AS following, sum(followers)::bigint AS followers,
        sum(following * hidden)::bigint AS hidden_following, sum(followers * hidden)::bigint AS hidden_followers
      FROM (
        SELECT actor_id, 1 AS following, 0 AS followers, (target_actor_id IN ${SUSPENDED_ACTORS})::integer AS hidden
        FROM folded_relation WHERE kind = 'follow'
        UNION ALL
        SELECT target_actor_id, 0, 1, (actor_id IN ${SUSPENDED_ACTORS})::integer FROM folded_relation WHERE kind = 'follow'
      ) side
      GROUP BY actor_id`,
    actual: `
      SELECT actor_id, following, followers, hidden_following, hidden_followers FROM relation_count WHERE following <> 0 OR followers <> 0`,
  },
];

import { grantLifetimeOf } from '../../domain/grant/lifetimes.js';
import { utc } from './sql.js';

const lifetime = (scopes: readonly string[]) => `to_milliseconds(${grantLifetimeOf(scopes)})`;

/**
 * A grant ends when it is revoked or expires, by {@link grantLifetimeOf} and without an event; a revocation after that changes
 * nothing. `active`: usable at the end of the day.
 */
export const grantChurn = `
    WITH revoked AS (SELECT grant_id, min(occurred_at) AS revoked_at FROM events WHERE type = 'grant.revoked' GROUP BY grant_id),
    older AS (
      SELECT grant_id, app_id, make_timestamptz(expires_at * 1_000) AS expires_at
      FROM (SELECT unnest(from_json(grants, '[{"grant_id":"VARCHAR","app_id":"VARCHAR","expires_at":"BIGINT"}]'), recursive := true)
        FROM folded) CROSS JOIN data_set
      WHERE expires_at > epoch_ms(first_day)),
    issued AS (
      SELECT grant_id, app_id, occurred_at, occurred_at + CASE
        WHEN list_contains(from_json(data ->> '$.scopes', '["VARCHAR"]'), 'offline_access')
        THEN ${lifetime(['offline_access'])} ELSE ${lifetime([])} END AS expires_at
      FROM events WHERE type = 'grant.issued'
      UNION ALL SELECT grant_id, app_id, NULL, expires_at FROM older),
    ended AS (
      SELECT app_id, revoked_at IS NOT NULL AND revoked_at < expires_at AS is_revoked,
        CASE WHEN is_revoked THEN revoked_at ELSE expires_at - INTERVAL 1 MILLISECOND END AS ended_at
      FROM issued LEFT JOIN revoked USING (grant_id)),
    changed AS (
      SELECT app_id, ${utc('occurred_at')}::DATE AS day, 1 AS issued, 0 AS revoked, 0 AS expired, 1 AS change
      FROM issued WHERE occurred_at IS NOT NULL
      UNION ALL SELECT app_id, first_day, 0, 0, 0, 1 FROM older CROSS JOIN data_set
      UNION ALL SELECT app_id, ${utc('ended_at')}::DATE, 0, is_revoked::INT, (NOT is_revoked)::INT, -1
      FROM ended CROSS JOIN data_set WHERE ${utc('ended_at')} < complete_until),
    counted AS (
      SELECT app_id, day, sum(issued) AS issued, sum(revoked) AS revoked, sum(expired) AS expired, sum(change) AS change
      FROM changed GROUP BY app_id, day),
    each_day AS (SELECT app_id, day FROM (SELECT DISTINCT app_id FROM issued) CROSS JOIN days)
    SELECT day, app_id, name AS app, coalesce(issued, 0)::BIGINT AS issued, coalesce(revoked, 0)::BIGINT AS revoked,
      coalesce(expired, 0)::BIGINT AS expired,
      coalesce(sum(change) OVER (PARTITION BY app_id ORDER BY day), 0)::BIGINT AS active,
      is_folded AND day >= complete_from AND day + 1 <= complete_until AS is_complete
    FROM each_day CROSS JOIN data_set LEFT JOIN counted USING (app_id, day) LEFT JOIN applications USING (app_id)`;

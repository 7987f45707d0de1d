import { activityAnswers, isOf, WEEK } from './activity-views.js';
import { grantChurn } from './grant-views.js';
import { utc } from './sql.js';

const HOUR_US = 3_600_000_000;

/** An operator, or the person on the account page, revokes grants of an application without it. */
const isThroughApp = `by_app_id IS NOT NULL AND by_actor_id IS NOT NULL AND cause IS DISTINCT FROM 'person'`;

/**
 * SELECTs of the views that answer questions, by name, over `events`, `applications`, `data_set` and `days`. docs/analytics.md
 * defines them. `is_complete`: the data has the whole time that the row is about.
 */
export const answers: Readonly<Record<string, string>> = {
  registrations: `
    SELECT actor_id, min(day) FILTER (type = 'account.registered') AS registered_on,
      CASE WHEN NOT bool_or(type = 'account.erased') THEN min(by_app_id) FILTER (type = 'account.registered') END AS app_id
    FROM events WHERE type IN ('account.registered', 'account.erased')
    GROUP BY actor_id HAVING registered_on IS NOT NULL
    UNION ALL SELECT actor_id, registered_on, app_id FROM folded WHERE registered_on IS NOT NULL`,
  ...activityAnswers,
  posts_per_app: `
    WITH counted AS (
      SELECT day, app_id, count(*) AS posts, count(DISTINCT author_actor_id) AS authors
      FROM events WHERE type = 'post.created' GROUP BY day, app_id)
    SELECT day, app_id, name AS app, coalesce(posts, 0) AS posts, coalesce(authors, 0) AS authors,
      day >= complete_from AND day + 1 <= complete_until AS is_complete
    FROM (SELECT DISTINCT app_id FROM counted) AS app CROSS JOIN days CROSS JOIN data_set
      LEFT JOIN counted USING (day, app_id) LEFT JOIN applications USING (app_id)`,
  grant_churn: grantChurn,
  app_impact: `
    WITH counted AS (
      SELECT by_app_id AS app_id, make_timestamptz(epoch_us(occurred_at) // ${HOUR_US} * ${HOUR_US}) AS hour, type, count(*) AS events,
        count(DISTINCT by_actor_id) AS actors
      FROM events WHERE ${isThroughApp} GROUP BY ALL)
    SELECT app_id, name AS app, hour, type, events, actors,
      ${utc('hour')} >= complete_from AND ${utc('hour')} + INTERVAL 1 HOUR <= complete_until AS is_complete
    FROM counted CROSS JOIN data_set LEFT JOIN applications USING (app_id)`,
  app_reach: `
    WITH counted AS (
      SELECT by_app_id AS app_id, type, kind, count(*) AS events, count(DISTINCT by_actor_id) AS actors,
        count(DISTINCT nullif(coalesce(target_actor_id, parent_author_actor_id), by_actor_id)) AS targets
      FROM events WHERE ${isThroughApp} GROUP BY ALL)
    SELECT app_id, name AS app, type || coalesce(' (' || kind || ')', '') AS act, events, actors, targets,
      is_whole AND is_caught_up AS is_complete
    FROM counted CROSS JOIN data_set LEFT JOIN applications USING (app_id)`,
  busy_hours: `
    WITH counted AS (
      SELECT isodow(day) AS weekday, epoch_ms(occurred_at) // 3_600_000 % 24 AS hour, count(*) AS events,
        count(DISTINCT by_actor_id) AS actors
      FROM events WHERE by_actor_id IS NOT NULL AND NOT (${isOf('refreshes')}) GROUP BY ALL)
    SELECT weekday, hour, coalesce(events, 0) AS events, coalesce(actors, 0) AS actors,
      is_whole AND is_caught_up AS is_complete
    FROM data_set CROSS JOIN (SELECT range AS weekday FROM range(1, 8)) CROSS JOIN (SELECT range AS hour FROM range(24))
      LEFT JOIN counted USING (weekday, hour)`,
  report_decisions: `
    WITH decision AS (
      SELECT occurred_at, post_id, target_actor_id, (data ->> '$.networkRevision')::BIGINT AS seen_position
      FROM events WHERE type = 'case.decided')
    SELECT report_id, report.reason, report.occurred_at AS reported_at, min(decision.occurred_at) AS decided_at,
      (epoch_us(min(decision.occurred_at)) - epoch_us(report.occurred_at)) / ${HOUR_US} AS hours
    FROM events AS report LEFT JOIN decision ON decision.target_actor_id = report.target_actor_id
      AND decision.post_id IS NOT DISTINCT FROM report.post_id AND decision.seen_position >= report.position
    WHERE report.type = 'report.created' GROUP BY report_id, report.reason, report.occurred_at`,
  decision_speed: `
    WITH weeks AS (SELECT DISTINCT date_trunc('week', day)::DATE AS week FROM days),
    counted AS (
      SELECT date_trunc('week', ${utc('reported_at')})::DATE AS week, count(*) AS reports, count(hours) AS decided,
        count(*) FILTER (hours <= 24) AS within_24, count(*) FILTER (hours <= 72) AS within_72,
        median(hours) AS median_hours
      FROM report_decisions GROUP BY week)
    SELECT week, coalesce(reports, 0) AS reports, coalesce(decided, 0) AS decided, median_hours,
      within_24 / reports AS share_24_hours, within_72 / reports AS share_72_hours,
      week >= complete_from AND week + ${WEEK + 3} <= complete_until AS is_complete
    FROM weeks CROSS JOIN data_set LEFT JOIN counted USING (week)`,
  restrictions: `
    SELECT position, occurred_at, day, type,
      CASE WHEN decision_id IS NOT NULL THEN 'decision' WHEN batch_id IS NOT NULL THEN 'batch' ELSE 'operator' END AS why,
      post_id, coalesce(author_actor_id, actor_id) AS actor_id, case_id, decision_id, batch_id, by_operator_id
    FROM events
    WHERE type IN ('post.restricted', 'post.unrestricted', 'account.suspended', 'account.reinstated')`,
  attention: `
    WITH received AS (
      SELECT coalesce(target_actor_id, parent_author_actor_id) AS actor_id, kind
      FROM events
      WHERE (type = 'relation.established' AND generation = 1 AND target_actor_id <> actor_id)
        OR (type = 'post.created' AND parent_author_actor_id <> author_actor_id)),
    counted AS (
      SELECT actor_id, count(*) FILTER (kind = 'follow') AS follows, count(*) FILTER (kind = 'like') AS likes,
        count(*) FILTER (kind IS NULL) AS replies
      FROM received GROUP BY actor_id),
    summed AS (
      SELECT actor_id, coalesce(counted.follows, 0) + coalesce(folded.follows, 0) AS follows,
        coalesce(counted.likes, 0) + coalesce(folded.likes, 0) AS likes,
        coalesce(counted.replies, 0) + coalesce(folded.replies, 0) AS replies
      FROM registrations LEFT JOIN counted USING (actor_id) LEFT JOIN folded USING (actor_id))
    SELECT actor_id, follows, likes, replies, follows + likes + replies AS attention, is_folded AND is_caught_up AS is_complete
    FROM summed CROSS JOIN data_set`,
  people: `
    WITH standing AS (
      SELECT actor_id, arg_max(type = 'account.suspended', position) AS is_suspended
      FROM events WHERE type IN ('account.suspended', 'account.reinstated', 'account.erased') GROUP BY actor_id)
    SELECT actor_id, registrations.registered_on, registrations.app_id, name AS app,
      coalesce(standing.is_suspended, folded.is_suspended, false) AS is_suspended,
      attention.follows, attention.likes, attention.replies, is_complete
    FROM registrations JOIN attention USING (actor_id) LEFT JOIN standing USING (actor_id)
      LEFT JOIN folded USING (actor_id) LEFT JOIN applications ON applications.app_id = registrations.app_id`,
};

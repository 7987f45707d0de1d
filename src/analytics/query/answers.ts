/** SELECTs of the views that answer questions, by name, over `events` and `applications`. docs/analytics.md defines them. */
export const answers: Readonly<Record<string, string>> = {
  daily_active: `
    SELECT day, count(DISTINCT by_actor_id) AS actors
    FROM events WHERE by_actor_id IS NOT NULL GROUP BY day`,
  retention: `
    WITH person AS (
      SELECT actor_id, date_trunc('week', day)::DATE AS cohort FROM events WHERE type = 'account.registered'),
    active AS (
      SELECT DISTINCT by_actor_id AS actor_id, date_trunc('week', day)::DATE AS week
      FROM events WHERE by_actor_id IS NOT NULL),
    week AS (SELECT DISTINCT week FROM active),
    cohorts AS (SELECT cohort, count(*) AS people FROM person GROUP BY cohort),
    counted AS (SELECT cohort, week, count(*) AS active FROM active JOIN person USING (actor_id) GROUP BY cohort, week)
    SELECT cohort, (week - cohort) // 7 AS weeks_later, people, coalesce(active, 0) AS active,
      coalesce(active, 0) / people AS share
    FROM cohorts JOIN week ON week >= cohort LEFT JOIN counted USING (cohort, week)`,
  posts_per_app: `
    SELECT day, app_id, name AS app, count(*) AS posts, count(DISTINCT author_actor_id) AS authors
    FROM events LEFT JOIN applications USING (app_id) WHERE type = 'post.created' GROUP BY day, app_id, name`,
  grant_churn: `
    WITH changed AS (
      SELECT day, app_id, count(*) FILTER (type = 'grant.issued') AS issued,
        count(*) FILTER (type = 'grant.revoked') AS revoked
      FROM events WHERE type IN ('grant.issued', 'grant.revoked') GROUP BY day, app_id),
    summed AS (
      SELECT *, sum(issued - revoked) OVER (PARTITION BY app_id ORDER BY day)::BIGINT AS active FROM changed)
    SELECT day, app_id, name AS app, issued, revoked, active
    FROM summed LEFT JOIN applications USING (app_id)`,
  app_impact: `
    WITH counted AS (
      SELECT by_app_id AS app_id, date_trunc('hour', occurred_at) AS hour, type, count(*) AS events,
        count(DISTINCT by_actor_id) AS actors
      FROM events WHERE by_app_id IS NOT NULL GROUP BY ALL)
    SELECT app_id, name AS app, hour, type, events, actors FROM counted LEFT JOIN applications USING (app_id)`,
  app_reach: `
    WITH counted AS (
      SELECT by_app_id AS app_id, type, kind, count(*) AS events, count(DISTINCT by_actor_id) AS actors,
        count(DISTINCT nullif(coalesce(target_actor_id, parent_author_actor_id), by_actor_id)) AS targets
      FROM events WHERE by_app_id IS NOT NULL GROUP BY ALL)
    SELECT app_id, name AS app, type || coalesce(' (' || kind || ')', '') AS act, events, actors, targets
    FROM counted LEFT JOIN applications USING (app_id)`,
  busy_hours: `
    SELECT isodow(day) AS weekday, epoch_ms(occurred_at) // 3_600_000 % 24 AS hour, count(*) AS events,
      count(DISTINCT by_actor_id) AS actors
    FROM events WHERE by_actor_id IS NOT NULL GROUP BY ALL`,
  report_decisions: `
    WITH decision AS (
      SELECT occurred_at, post_id, target_actor_id, (data ->> '$.networkRevision')::BIGINT AS seen_position
      FROM events WHERE type = 'case.decided')
    SELECT report_id, report.reason, report.occurred_at AS reported_at, min(decision.occurred_at) AS decided_at,
      date_diff('second', report.occurred_at, min(decision.occurred_at)) / 3600 AS hours
    FROM events AS report LEFT JOIN decision ON decision.target_actor_id = report.target_actor_id
      AND decision.post_id IS NOT DISTINCT FROM report.post_id AND decision.seen_position >= report.position
    WHERE report.type = 'report.created' GROUP BY report_id, report.reason, report.occurred_at`,
  restrictions: `
    SELECT position, occurred_at, day, type,
      CASE WHEN decision_id IS NOT NULL THEN 'decision' WHEN batch_id IS NOT NULL THEN 'batch' ELSE 'operator' END AS why,
      post_id, coalesce(author_actor_id, actor_id) AS actor_id, case_id, decision_id, batch_id
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
      FROM received GROUP BY actor_id)
    SELECT person.actor_id, coalesce(follows, 0) AS follows, coalesce(likes, 0) AS likes,
      coalesce(replies, 0) AS replies, coalesce(follows + likes + replies, 0) AS attention
    FROM events AS person LEFT JOIN counted USING (actor_id) WHERE person.type = 'account.registered'`,
};

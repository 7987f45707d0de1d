import { typesWith } from '../columns/activity.js';
import { quoted } from './sql.js';

export const isOf = (activity: Parameters<typeof typesWith>[0]): string =>
  `type IN (${typesWith(activity).map(quoted).join(', ')})`;

/** A block ends follows without the person who made them. */
const isAct = `${isOf('acts')} AND cause IS DISTINCT FROM 'block'`;

export const WEEK = 7;
export const MONTH = 28;
/** Weeks of a retention, the first one included. */
const RETENTION_WEEKS = 26;

/**
 * People who acted in the window of so many days that ends with each day. A spell is the time in which windows end that have
 * an act of a person, up to the next act: so each window counts the person once.
 */
const rolling = (days: number, more = ''): string => `
  WITH spell AS (
    SELECT actor_id, day AS begins,
      least(day + ${days}, coalesce(lead(day) OVER (PARTITION BY actor_id ORDER BY day), day + ${days})) AS ends
    FROM activity WHERE acted),
  aged AS (
    SELECT begins, ends, coalesce(registered_on + ${days}, begins) AS older FROM spell LEFT JOIN registrations USING (actor_id)),
  change AS (
    SELECT begins AS day, 1 AS active, (begins < older)::BIGINT AS new FROM aged
    UNION ALL SELECT ends, -1, 0 FROM aged
    UNION ALL SELECT least(ends, older), 0, -1 FROM aged WHERE begins < older),
  changed AS (
    SELECT day, sum(active) AS active, sum(new) AS new, count(*) FILTER (active = 1) AS daily FROM change GROUP BY day),
  summed AS (
    SELECT day, daily, coalesce(sum(changed.active) OVER (ORDER BY day), 0)::BIGINT AS active,
      coalesce(sum(changed.new) OVER (ORDER BY day), 0)::BIGINT AS new
    FROM days LEFT JOIN changed USING (day))
  SELECT day, summed.active, summed.new, summed.active - summed.new AS returning${more},
    day - ${days - 1} >= complete_from AND day + 1 <= complete_until AS is_complete
  FROM summed CROSS JOIN data_set`;

/** SELECTs of the views about who is active, by name. docs/analytics.md defines the words. */
export const activityAnswers: Readonly<Record<string, string>> = {
  activity: `
    SELECT by_actor_id AS actor_id, day, bool_or(${isAct}) AS acted, bool_or(${isOf('signs_in')}) AS signed_in,
      bool_or(${isOf('refreshes')}) AS refreshed
    FROM events
    WHERE by_actor_id IS NOT NULL AND ((${isAct}) OR ${isOf('signs_in')} OR ${isOf('refreshes')})
    GROUP BY by_actor_id, day`,
  daily_active: `
    WITH counted AS (
      SELECT day, count(*) FILTER (acted) AS active, count(*) FILTER (acted AND registered_on = day) AS new,
        count(*) FILTER (signed_in) AS signed_in, count(*) FILTER (refreshed) AS refreshed, count(*) AS present
      FROM activity LEFT JOIN registrations USING (actor_id) GROUP BY day)
    SELECT day, coalesce(active, 0) AS active, coalesce(new, 0) AS new, coalesce(active - new, 0) AS returning,
      coalesce(signed_in, 0) AS signed_in, coalesce(refreshed, 0) AS refreshed, coalesce(present, 0) AS present,
      day >= complete_from AND day + 1 <= complete_until AS is_complete
    FROM days CROSS JOIN data_set LEFT JOIN counted USING (day)`,
  weekly_active: rolling(WEEK),
  // Each act begins a spell: a day has as many as people who acted.
  monthly_active: rolling(MONTH, ', coalesce(daily, 0) / nullif(summed.active, 0) AS stickiness'),
  retention: `
    WITH person AS (SELECT actor_id, date_trunc('week', registered_on)::DATE AS cohort FROM registrations),
    cohorts AS (SELECT cohort, count(*) AS people FROM person GROUP BY cohort),
    acted AS (SELECT DISTINCT actor_id, date_trunc('week', day)::DATE AS week FROM activity WHERE acted),
    counted AS (
      SELECT cohort, (week - cohort) // ${WEEK} AS weeks_later, count(*) AS active
      FROM acted JOIN person USING (actor_id) GROUP BY cohort, week)
    SELECT cohort, weeks_later, people, coalesce(active, 0) AS active, coalesce(active, 0) / people AS share,
      (cohort >= complete_from OR is_folded AND cohort + (weeks_later * ${WEEK})::INT >= complete_from)
        AND cohort + ((weeks_later + 1) * ${WEEK})::INT <= complete_until AS is_complete
    FROM cohorts CROSS JOIN data_set CROSS JOIN (SELECT range AS weeks_later FROM range(0, ${RETENTION_WEEKS})) AS later
      LEFT JOIN counted USING (cohort, weeks_later)
    WHERE cohort + (weeks_later * ${WEEK})::INT <= last_day AND cohort + ((weeks_later + 1) * ${WEEK})::INT > first_day`,
};

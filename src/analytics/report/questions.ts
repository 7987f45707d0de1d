import type { Html } from '../../base/pages/html.js';
import { barPlot } from './plots/bars.js';
import { heatPlot } from './plots/heat.js';
import { linePlot } from './plots/lines.js';
import { daysFrom, percent } from './plots/scale.js';
import { numberIn, seriesBy, textIn, valuesAt } from './rows.js';
import type { AnswerRow } from './rows.js';

/** `definition`: one sentence for each word that needs one. `sql`: over the views of a data set. */
export interface Question {
  readonly name: string;
  readonly title: string;
  readonly definition: string;
  readonly sql: string;
  readonly plot: (rows: readonly AnswerRow[]) => Html;
}

const WEEK = 7;
const WEEKDAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];
const HOURS = Array.from({ length: 24 }, (_, hour) => hour);

export const questions: readonly Question[] = [
  {
    name: 'active',
    title: 'Who is active?',
    definition:
      'A person is active on a UTC day if they acted on it at least once; weekly and monthly active people acted in the 7 or 28 days that end with the day; stickiness is daily / monthly.',
    sql: `SELECT day, daily_active.active AS daily, CASE WHEN weekly_active.is_complete THEN weekly_active.active END AS weekly,
  CASE WHEN monthly_active.is_complete THEN monthly_active.active END AS monthly,
  CASE WHEN monthly_active.is_complete THEN round(stickiness, 3) END AS stickiness, daily_active.new, daily_active.returning
FROM daily_active JOIN weekly_active USING (day) JOIN monthly_active USING (day)
WHERE daily_active.is_complete ORDER BY day`,
    plot: (rows) => {
      const days = daysFrom(
        rows.map((row) => textIn(row, 'day')),
        1,
      );
      const series = ['daily', 'weekly', 'monthly'].map((name) => ({
        name,
        values: valuesAt(rows, 'day', name, days, null),
      }));
      return linePlot({ label: 'Active people by day', x: days, series });
    },
  },
  {
    name: 'retention',
    title: 'Does who comes stay?',
    definition:
      'Retention of a week’s newcomers is the share of the people who registered in that week, from Monday, who were active in a later week; week 0 is that week itself.',
    sql: `SELECT cohort, weeks_later, people, active, round(share, 3) AS share
FROM retention WHERE is_complete AND cohort >= (SELECT max(cohort) FROM retention) - INTERVAL 25 WEEKS
ORDER BY cohort, weeks_later`,
    plot: (rows) => {
      const cohorts = [...new Set(rows.map((row) => textIn(row, 'cohort')))];
      const weeks = Math.max(0, ...rows.map((row) => numberIn(row, 'weeks_later'))) + 1;
      const columns = Array.from({ length: weeks }, (_, week) => week);
      return heatPlot({
        label: 'Share of each week’s newcomers who were active, by weeks since',
        columns: columns.map(String),
        rows: cohorts,
        values: cohorts.map((cohort) => {
          const own = rows.filter((row) => row['cohort'] === cohort);
          return valuesAt(own, 'weeks_later', 'share', columns, null);
        }),
        format: percent,
        isWritten: weeks <= 14,
      });
    },
  },
  {
    name: 'application',
    title: 'What did one application do, and to whom?',
    definition:
      'An application did each event that people caused through it; its targets are the other people whom these events followed, blocked, liked, replied to or reported.',
    sql: `-- The application with the most events; name another by its app_id.
SELECT app, act, events, actors, targets
FROM app_reach
WHERE app_id = (SELECT by_app_id FROM events WHERE by_app_id IS NOT NULL
  GROUP BY by_app_id ORDER BY count(*) DESC, by_app_id LIMIT 1)
ORDER BY events DESC, act`,
    plot: (rows) =>
      barPlot(
        `Events through ${textIn(rows[0] ?? {}, 'app')} by act`,
        rows.map((row) => ({
          name: textIn(row, 'act'),
          value: numberIn(row, 'events'),
          note: `${numberIn(row, 'actors')} people, ${numberIn(row, 'targets')} targets`,
        })),
      ),
  },
  {
    name: 'churn',
    title: 'Which grants churn?',
    definition:
      'The churn of an application is the number of its grants that were revoked or expired in the last 28 whole days, divided by the number that were usable at their begin.',
    sql: `WITH newest AS (SELECT complete_until::DATE - 1 AS newest_day, is_whole FROM data_set)
SELECT app, coalesce(max(active) FILTER (day = newest_day - 28), 0) AS usable_at_begin,
  sum(revoked) FILTER (day > newest_day - 28) AS revocations,
  sum(expired) FILTER (day > newest_day - 28) AS expirations,
  round((revocations + expirations) / nullif(usable_at_begin, 0), 3) AS churn
FROM grant_churn CROSS JOIN newest WHERE is_complete AND day >= newest_day - 28
GROUP BY app_id, app HAVING count(*) = 29 OR bool_and(is_whole) ORDER BY churn DESC NULLS LAST, app LIMIT 20`,
    plot: (rows) =>
      barPlot(
        'Share of the usable grants of each application that ended in 28 days',
        rows.map((row) => ({
          name: textIn(row, 'app'),
          value: numberIn(row, 'churn'),
          note: `${numberIn(row, 'revocations')} revoked, ${numberIn(row, 'expirations')} expired, of ${numberIn(row, 'usable_at_begin')}`,
        })),
        percent,
      ),
  },
  {
    name: 'hours',
    title: 'Which hours are busy?',
    definition:
      'An hour of the week, in UTC, is as busy as the number of events that people caused in it; an application that renews its tokens is none of them.',
    sql: 'SELECT weekday, hour, events FROM busy_hours ORDER BY events DESC, weekday, hour',
    plot: (rows) =>
      heatPlot({
        label: 'Events by weekday and hour, UTC',
        columns: HOURS.map(String),
        rows: WEEKDAYS,
        values: WEEKDAYS.map((_, day) => {
          const own = rows.filter((row) => row['weekday'] === day + 1);
          return valuesAt(own, 'hour', 'events', HOURS, 0);
        }),
      }),
  },
  {
    name: 'decisions',
    title: 'How fast do reports get decided?',
    definition:
      'A report is decided by the first decision on the post or person it is about that was made in view of it; the shares are of all reports of the week, decided or not.',
    sql: `SELECT week, reports, decided, round(median_hours, 1) AS median_hours, round(share_24_hours, 3) AS within_24_hours,
  round(share_72_hours, 3) AS within_72_hours
FROM decision_speed WHERE is_complete ORDER BY week`,
    plot: (rows) => {
      const x = daysFrom(
        rows.map((row) => textIn(row, 'week')),
        WEEK,
      );
      const series = [
        { name: 'within 24 hours', values: valuesAt(rows, 'week', 'within_24_hours', x, null) },
        { name: 'within 72 hours', values: valuesAt(rows, 'week', 'within_72_hours', x, null) },
      ];
      return linePlot({
        label: 'Share of all reports that were decided in time, by week',
        x,
        series,
        format: percent,
      });
    },
  },
  {
    name: 'concentration',
    title: 'How concentrated is attention?',
    definition:
      'Attention is a reply, or a first like or follow, from somebody else; its concentration is the share of it that the most noticed tenth of all registered people got, then two tenths, and so on.',
    sql: `WITH ranked AS (
  SELECT attention, ceil(10 * row_number() OVER (ORDER BY attention DESC, actor_id) / count(*) OVER ())::INT AS tenth
  FROM attention WHERE is_complete)
SELECT tenth * 10 AS top_percent, count(*) AS people, sum(attention) AS attention,
  round(sum(sum(attention)) OVER (ORDER BY tenth) / nullif(sum(sum(attention)) OVER (), 0), 3) AS share
FROM ranked GROUP BY tenth ORDER BY tenth`,
    plot: (rows) =>
      linePlot({
        label: 'Share of attention by the most noticed people',
        x: ['0 %', ...rows.map((row) => `${numberIn(row, 'top_percent')} %`)],
        series: [
          { name: 'share of attention', values: [0, ...rows.map((row) => numberIn(row, 'share'))] },
          {
            name: 'if all got the same',
            values: [0, ...rows.map((row) => numberIn(row, 'top_percent') / 100)],
          },
        ],
        format: percent,
      }),
  },
  {
    name: 'applications',
    title: 'Through which applications do people post?',
    definition:
      'A post counts for the application through which it was created, in the week of its creation, from Monday.',
    sql: `SELECT date_trunc('week', day)::DATE AS week, app, sum(posts) AS posts
FROM posts_per_app GROUP BY week, app_id, app HAVING bool_and(is_complete) AND count(*) = 7 ORDER BY week, posts DESC, app`,
    plot: (rows) => {
      const x = daysFrom(
        rows.map((row) => textIn(row, 'week')),
        WEEK,
      );
      const series = seriesBy(rows, { by: 'app', at: 'week', value: 'posts', x });
      return linePlot({ label: 'Posts by week and application', x, series });
    },
  },
];

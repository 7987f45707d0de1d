import { Client } from 'pg';
import { questions } from '../../src/analytics/report/questions.js';
import { answerOf } from '../../src/analytics/report/report.js';
import { openViews } from '../../src/analytics/query/open-views.js';
import { rounded } from '../load.js';

const ROUNDS = 3;

const day = `(to_timestamp(at / 1000) AT TIME ZONE 'UTC')`;
const week = `date_trunc('week', ${day})`;

/** The questions of the report to the audit's table, which has every event: the live stores have no other. */
const inPostgres: Readonly<Record<string, string>> = {
  active: `SELECT ${day}::date AS day, count(DISTINCT actor_id) FROM audit.event WHERE actor_id IS NOT NULL GROUP BY 1 ORDER BY 1`,
  retention: `
    WITH person AS (SELECT subject ->> 'actorId' AS actor_id, ${week} AS cohort FROM audit.event WHERE type = 'account.registered'),
    active AS (SELECT DISTINCT actor_id, ${week} AS week FROM audit.event WHERE actor_id IS NOT NULL),
    weeks AS (SELECT DISTINCT week FROM active)
    SELECT cohort, weeks.week, count(*), count(active.actor_id)
    FROM person JOIN weeks ON weeks.week >= cohort
      LEFT JOIN active ON active.actor_id = person.actor_id AND active.week = weeks.week GROUP BY 1, 2 ORDER BY 1, 2`,
  application: `
    SELECT type, count(*), count(DISTINCT actor_id),
      count(DISTINCT coalesce(subject ->> 'targetActorId', subject ->> 'parentAuthorActorId'))
    FROM audit.event WHERE app_id = (SELECT app_id FROM audit.app_hour GROUP BY 1 ORDER BY sum(events) DESC LIMIT 1)
    GROUP BY 1 ORDER BY 2 DESC`,
  churn: `
    SELECT subject ->> 'appId', count(*) FILTER (WHERE type = 'grant.issued'), count(*) FILTER (WHERE type = 'grant.revoked')
    FROM audit.event WHERE type IN ('grant.issued', 'grant.revoked') GROUP BY 1`,
  hours: `
    SELECT extract(isodow FROM ${day}), extract(hour FROM ${day}), count(*), count(DISTINCT actor_id)
    FROM audit.event WHERE actor_id IS NOT NULL GROUP BY 1, 2 ORDER BY 3 DESC`,
  decisions: `
    WITH decided AS (
      SELECT report.at, min(decision.at) AS decided_at
      FROM audit.event AS report LEFT JOIN audit.event AS decision ON decision.type = 'case.decided'
        AND decision.subject ->> 'postId' = report.subject ->> 'postId' AND decision.position > report.position
      WHERE report.type = 'report.created' GROUP BY report.position, report.at)
    SELECT ${week}, count(*), count(decided_at), percentile_cont(0.5) WITHIN GROUP (ORDER BY decided_at - at)
    FROM decided GROUP BY 1 ORDER BY 1`,
  concentration: `
    WITH received AS (
      SELECT coalesce(subject ->> 'targetActorId', subject ->> 'parentAuthorActorId') AS actor_id, count(*) AS attention
      FROM audit.event WHERE type IN ('relation.established', 'post.created') GROUP BY 1),
    ranked AS (
      SELECT coalesce(attention, 0) AS attention, ntile(10) OVER (ORDER BY coalesce(attention, 0) DESC) AS tenth
      FROM audit.event LEFT JOIN received ON received.actor_id = subject ->> 'actorId' WHERE type = 'account.registered')
    SELECT tenth, sum(attention) FROM ranked GROUP BY 1 ORDER BY 1`,
};

export type Milliseconds = Readonly<Record<string, number>>;

/** Medians; the first round of each question is warm-up. */
export async function askDataSet(dir: string): Promise<Milliseconds> {
  const views = await openViews(dir);
  try {
    const asked = questions.filter(({ name }) => Object.hasOwn(inPostgres, name));
    return await timed(
      asked,
      ({ name }) => name,
      (question) => answerOf(views, question),
    );
  } finally {
    views.close();
  }
}

export async function askPostgres(databaseUrl: string): Promise<Milliseconds> {
  const client = new Client({ connectionString: databaseUrl, application_name: 'bench' });
  await client.connect();
  try {
    return await timed(
      Object.entries(inPostgres),
      ([name]) => name,
      ([, sql]) => client.query(sql),
    );
  } finally {
    await client.end();
  }
}

async function timed<Item>(
  items: readonly Item[],
  nameOf: (item: Item) => string,
  ask: (item: Item) => Promise<unknown>,
): Promise<Milliseconds> {
  const medians: Record<string, number> = {};
  for (const item of items) {
    const took: number[] = [];
    for (let round = 0; round <= ROUNDS; round++) {
      const begun = performance.now();
      await ask(item);
      if (round > 0) took.push(performance.now() - begun);
    }
    medians[nameOf(item)] = rounded(took.toSorted((a, b) => a - b)[Math.floor(ROUNDS / 2)] ?? 0);
  }
  return medians;
}

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

/** Milliseconds of each question. */
export type Took = Readonly<Record<string, number>>;

const ofQuestion = (name: string): boolean => Object.hasOwn(inPostgres, name);

/** Medians; the first round of each question is warm-up. `cpu`: of this process, whose threads answer. */
export async function askDataSet(dir: string): Promise<{ readonly wall: Took; readonly cpu: Took }> {
  const views = await openViews(dir);
  try {
    const wall: Record<string, number> = {};
    const cpu: Record<string, number> = {};
    for (const question of questions.filter(({ name }) => ofQuestion(name))) {
      const took = await timed(() => answerOf(views, question));
      wall[question.name] = took.wall;
      cpu[question.name] = took.cpu;
    }
    return { wall, cpu };
  } finally {
    views.close();
  }
}

export async function askPostgres(databaseUrl: string): Promise<Took> {
  const client = new Client({ connectionString: databaseUrl, application_name: 'bench' });
  await client.connect();
  try {
    const took: Record<string, number> = {};
    for (const [name, sql] of Object.entries(inPostgres))
      took[name] = (await timed(() => client.query(sql))).wall;
    return took;
  } finally {
    await client.end();
  }
}

async function timed(ask: () => Promise<unknown>): Promise<{ readonly wall: number; readonly cpu: number }> {
  const wall: number[] = [];
  const cpu: number[] = [];
  for (let round = 0; round <= ROUNDS; round++) {
    const [begun, used] = [performance.now(), process.cpuUsage()];
    await ask();
    if (round === 0) continue;
    const { user, system } = process.cpuUsage(used);
    wall.push(performance.now() - begun);
    cpu.push((user + system) / 1_000);
  }
  return { wall: medianOf(wall), cpu: medianOf(cpu) };
}

const medianOf = (values: readonly number[]) =>
  rounded(values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0);

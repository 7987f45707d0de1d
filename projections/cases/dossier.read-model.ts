import type { Pool } from 'pg';
import { z } from 'zod';
import { caseOfPost } from '../../src/domain/case/subject.js';
import { FEWEST_REPORTS, MOST_COUNTED } from './reports.sql.js';

const outcomes = ['waiting', 'violation', 'no_violation', 'overturned'] as const;

/** Cases, the newest first. `at`: of the decision; while the case waits, of its opening. */
export const casesAboutShape = z.strictObject({
  newest: z
    .array(
      z.strictObject({
        caseId: z.string(),
        reports: z.number(),
        outcome: z.enum(outcomes),
        at: z.number(),
      }),
    )
    .readonly(),
  isMore: z.boolean(),
});

/** Reports by outcome: never which, since the claimer of a case alone learns who reported. */
export const reportsByShape = z.strictObject({
  reports: z.number(),
  waiting: z.number(),
  violation: z.number(),
  noViolation: z.number(),
  overturned: z.number(),
  isMore: z.boolean(),
});

export type CasesAbout = z.infer<typeof casesAboutShape>;
export type ReportsBy = z.infer<typeof reportsByShape>;

const MAX_CASES = 50;

const newestCases = (condition: string): string => `
  SELECT case_id, reports, coalesce(decided_at, opened_at) AS at, opened_position,
    CASE WHEN status = 'open' THEN 'waiting' ELSE coalesce((
      SELECT report.outcome FROM cases.report
      WHERE report.case_id = summary.case_id AND report.decision_id = summary.decision_id LIMIT 1), outcome, 'waiting') END AS outcome
  FROM cases.summary WHERE ${condition} AND opened_position IS NOT NULL
  ORDER BY opened_position DESC LIMIT ${MAX_CASES + 1}`;

const casesJson = (condition: string): string => `(
  WITH found AS MATERIALIZED (${newestCases(condition)})
  SELECT json_build_object('isMore', (SELECT count(*) > ${MAX_CASES} FROM found), 'newest', coalesce(
    json_agg(json_build_object('caseId', case_id, 'reports', reports, 'outcome', outcome, 'at', at)
      ORDER BY opened_position DESC), '[]'))
  FROM (SELECT * FROM found ORDER BY opened_position DESC LIMIT ${MAX_CASES}) AS listed)`;

const ofOutcome = (outcome: string): string => `count(*) FILTER (WHERE outcome ${outcome})`;

const reportsJson = `(
  SELECT CASE WHEN count(*) >= ${FEWEST_REPORTS} THEN json_build_object(
    'reports', least(count(*), ${MOST_COUNTED}), 'isMore', count(*) > ${MOST_COUNTED}, 'waiting', ${ofOutcome('IS NULL')},
    'violation', ${ofOutcome(`= 'violation'`)}, 'noViolation', ${ofOutcome(`= 'no_violation'`)},
    'overturned', ${ofOutcome(`= 'overturned'`)}) END
  FROM (
    SELECT outcome FROM cases.report WHERE reporter_actor_id = $1 ORDER BY position DESC LIMIT ${MOST_COUNTED + 1}
  ) AS newest)`;

/** The cases about a person and their posts, and the numbers of reports by them; null: too few. */
export async function casesOfPerson(
  pool: Pool,
  actorId: string,
): Promise<{ readonly cases: CasesAbout; readonly reportsBy: ReportsBy | null }> {
  const { rows } = await pool.query<{ cases: CasesAbout; reportsBy: ReportsBy | null }>(
    `SELECT ${casesJson('target_actor_id = $1')} AS cases, ${reportsJson} AS "reportsBy"`,
    [actorId],
  );
  return rows[0] ?? { cases: { newest: [], isMore: false }, reportsBy: null };
}

export async function casesOfPost(pool: Pool, postId: string): Promise<CasesAbout> {
  const { rows } = await pool.query<{ cases: CasesAbout }>(`SELECT ${casesJson('case_id = $1')} AS cases`, [
    caseOfPost(postId),
  ]);
  return rows[0]?.cases ?? { newest: [], isMore: false };
}

import type { Pool } from 'pg';
import { z } from 'zod';
import type { BatchKind } from '../../src/domain/batch/events.js';
import { caseOfPost } from '../../src/domain/case/subject.js';
import { severities } from '../../src/domain/report/report-reasons.js';
import type { Severity } from '../../src/domain/report/report-reasons.js';

export const openCaseShape = z.strictObject({
  caseId: z.string(),
  targetActorId: z.string(),
  reasons: z.array(z.string()).readonly(),
});

export type OpenCase = z.infer<typeof openCaseShape>;

/** Undecided cases about these posts, or about these accounts and their posts, the oldest first. */
export async function openCasesAbout(
  pool: Pool,
  kind: BatchKind,
  items: readonly string[],
  limit: number,
): Promise<readonly OpenCase[]> {
  const column = kind === 'posts' ? 'case_id' : 'target_actor_id';
  const { rows } = await pool.query<OpenCase>(
    `SELECT case_id AS "caseId", target_actor_id AS "targetActorId", reasons FROM cases.summary WHERE ${column} = ANY ($1::text[]) AND status = 'open'
    ORDER BY opened_position LIMIT $2`,
    [kind === 'posts' ? items.map(caseOfPost) : items, limit],
  );
  return rows;
}

/** Counts of a severity end here. */
export const MAX_OLD_CASES = 1_000;

const HOUR_MS = 60 * 60_000;

export type OldCases = Readonly<Record<Severity, number>>;

/** Undecided cases that were opened, or opened again, more than so many hours ago. */
export async function countOldCases(
  pool: Pool,
  targetHours: Readonly<Record<Severity, number>>,
  now: number,
): Promise<OldCases> {
  const { rows } = await pool.query<{ counts: OldCases }>(
    `SELECT json_object_agg(severity, (
      SELECT count(*) FROM (
        SELECT FROM cases.summary
        WHERE status = 'open' AND urgency / 10 = rank AND opened_at < opened_before
        LIMIT ${MAX_OLD_CASES}) few)) AS counts
    FROM unnest($1::text[], $2::bigint[]) WITH ORDINALITY AS target(severity, opened_before, rank)`,
    [severities, severities.map((severity) => now - targetHours[severity] * HOUR_MS)],
  );
  return rows[0]?.counts ?? { low: 0, medium: 0, high: 0, critical: 0 };
}

import type { Pool } from 'pg';
import { z } from 'zod';
import type { CaseOutcome } from '../../src/domain/case/events.js';
import { casesGroup } from './cases.projection.js';
import { countsByReason, newestReports } from './reports.sql.js';

export const caseStateShape = z.enum(['open', 'claimed', 'decided', 'appealed']);
export type CaseState = z.infer<typeof caseStateShape>;

export interface ListedReport {
  readonly reportId: string;
  readonly reason: string;
  readonly at: number;
  readonly isClosed: boolean;
}

/** The newest reports of a case, read at one network revision. */
export interface CaseReports {
  readonly networkRevision: number;
  readonly total: number;
  /** Counts among the newest thousand. */
  readonly byReason: Readonly<Record<string, number>>;
  readonly newest: readonly ListedReport[];
}

export async function reportsOfCase(pool: Pool, caseId: string, limit: number): Promise<CaseReports> {
  const { rows } = await pool.query<{
    revision: string | null;
    total: number | null;
    by_reason: Record<string, number>;
    newest: ListedReport[];
  }>(
    `SELECT (SELECT applied_position::text FROM recovery.checkpoint WHERE group_name = $3) AS revision,
      (SELECT reports FROM cases.summary WHERE case_id = $1) AS total,
      coalesce(${countsByReason('$1')}, '{}') AS by_reason,
      (SELECT coalesce(json_agg(json_build_object('reportId', report_id, 'reason', reason, 'at', at,
          'isClosed', decision_id IS NOT NULL) ORDER BY position DESC), '[]') FROM (
        ${newestReports('*', '$1', '$2::integer')}) newest) AS newest`,
    [caseId, limit, casesGroup.name],
  );
  const [row] = rows;
  return {
    networkRevision: Number(row?.revision ?? 0),
    total: row?.total ?? 0,
    byReason: row?.by_reason ?? {},
    newest: row?.newest ?? [],
  };
}

/** Numbers of cases by state: `open` without and `claimed` with a claim, `appealed` with an appeal that waits. */
export const openCasesShape = z.strictObject({ open: z.number(), claimed: z.number(), appealed: z.number() });

export type OpenCases = z.infer<typeof openCasesShape>;

export async function countOpenCases(pool: Pool): Promise<OpenCases> {
  const { rows } = await pool.query<{ counts: OpenCases }>(
    `SELECT json_build_object(
      'open', count(*) FILTER (WHERE status = 'open' AND claimed_by IS NULL),
      'claimed', count(*) FILTER (WHERE status = 'open' AND claimed_by IS NOT NULL),
      'appealed', count(*) FILTER (WHERE waiting_appeals <> '{}')) AS counts
    FROM cases.summary WHERE status = 'open' OR waiting_appeals <> '{}'`,
  );
  return rows[0]?.counts ?? { open: 0, claimed: 0, appealed: 0 };
}

/**
 * Cases whose decision has effects that are not executed, or not known to be. None in a quarantine, as the log may lack
 * events.
 */
export async function casesWithPendingEffects(pool: Pool, limit: number): Promise<readonly string[]> {
  const { rows } = await pool.query<{ case_id: string }>({
    name: 'cases-with-pending-effects',
    text: `SELECT case_id FROM cases.summary WHERE pending_effects <> '{}'
      AND EXISTS (SELECT FROM recovery.publication WHERE status = 'serving')
    ORDER BY case_id LIMIT $1`,
    values: [limit],
  });
  return rows.map(({ case_id: caseId }) => caseId);
}

export interface DecidedCase {
  readonly caseId: string;
  readonly item: string;
}

/** Cases with a decision: `posts` by their ids, `accounts` by the actors whom they or their posts are about. */
export const decidedCases = {
  posts: {
    name: 'cases.decided.posts',
    text: `SELECT case_id AS "caseId", post_id AS item FROM cases.summary
      WHERE case_id = ANY ($1::text[]) AND decision_id IS NOT NULL`,
  },
  accounts: {
    name: 'cases.decided.accounts',
    text: `SELECT case_id AS "caseId", target_actor_id AS item FROM cases.summary
      WHERE target_actor_id = ANY ($1::text[]) AND decision_id IS NOT NULL`,
  },
} as const;

/** The decided cases about accounts as a whole. */
export const decidedAccounts = {
  name: 'cases.decided.whole-accounts',
  text: `SELECT case_id AS "caseId", target_actor_id AS item FROM cases.summary
    WHERE post_id IS NULL AND decision_id IS NOT NULL`,
} as const;

/** A report as its reporter sees it. `outcome` null: it is not decided. */
export interface OwnReport {
  readonly at: number;
  readonly reason: string;
  readonly isOfPost: boolean;
  readonly outcome: CaseOutcome | 'overturned' | null;
}

export async function reportsBy(pool: Pool, actorId: string, limit: number): Promise<readonly OwnReport[]> {
  const { rows } = await pool.query<{ found: OwnReport }>(
    `SELECT json_build_object('at', at, 'reason', reason, 'isOfPost', case_id LIKE 'post-%', 'outcome', outcome) AS found
    FROM cases.report WHERE reporter_actor_id = $1 ORDER BY position DESC LIMIT $2`,
    [actorId, limit],
  );
  return rows.map(({ found }) => found);
}

/** Decided cases about a person: first those of a violation, which can be appealed, each with the newest decision first. */
export async function casesAbout(pool: Pool, actorId: string, limit: number): Promise<readonly string[]> {
  const { rows } = await pool.query<{ case_id: string }>(
    `SELECT case_id FROM cases.summary WHERE target_actor_id = $1 AND decision_id IS NOT NULL
    ORDER BY outcome = 'violation' DESC, decided_at DESC LIMIT $2`,
    [actorId, limit],
  );
  return rows.map(({ case_id: caseId }) => caseId);
}

import type { Pool } from 'pg';

export const caseStates = ['open', 'claimed', 'decided', 'appealed'] as const;
export type CaseState = (typeof caseStates)[number];

/** Times in Unix milliseconds. `waitingAppeals`: the decisions whose appeals wait. */
export interface ListedCase {
  readonly caseId: string;
  readonly postId: string | null;
  readonly targetActorId: string;
  readonly state: CaseState;
  readonly reports: number;
  readonly openedAt: number;
  readonly claimedBy: string | null;
  readonly decidedBy: string | null;
  readonly decidedAt: number | null;
  readonly outcome: string | null;
  readonly waitingAppeals: readonly string[];
}

/** `after`: the place of the last case of the page before. */
export interface CasePage {
  readonly state?: CaseState | undefined;
  readonly order: 'newest' | 'oldest';
  readonly after?: bigint | undefined;
  readonly limit: number;
}

const stateSql = `CASE WHEN waiting_appeals <> '{}' THEN 'appealed' WHEN status = 'decided' THEN 'decided'
  WHEN claimed_by IS NULL THEN 'open' ELSE 'claimed' END`;

const conditions: Readonly<Record<CaseState, string>> = {
  open: `status = 'open' AND claimed_by IS NULL`,
  claimed: 'claimed_by IS NOT NULL',
  decided: `status = 'decided'`,
  appealed: `waiting_appeals <> '{}'`,
};

const caseJson = `json_build_object('caseId', case_id, 'postId', post_id, 'targetActorId', target_actor_id,
  'state', ${stateSql}, 'reports', reports, 'openedAt', opened_at, 'claimedBy', claimed_by, 'decidedBy', decided_by,
  'decidedAt', decided_at, 'outcome', outcome, 'waitingAppeals', waiting_appeals)`;

export async function casesPage(
  pool: Pool,
  { state, order, after, limit }: CasePage,
): Promise<{ readonly cases: readonly ListedCase[]; readonly next: string | null }> {
  const [compare, direction] = order === 'newest' ? ['<', 'DESC'] : ['>', 'ASC'];
  const { rows } = await pool.query<{ found: ListedCase; place: string }>(
    `SELECT ${caseJson} AS found, opened_position::text AS place FROM cases.summary
    WHERE opened_position IS NOT NULL ${state === undefined ? '' : `AND ${conditions[state]}`}
      AND ($1::numeric IS NULL OR opened_position ${compare} $1::numeric)
    ORDER BY opened_position ${direction} LIMIT $2::integer`,
    [after === undefined ? null : String(after), limit],
  );
  const last = rows.length === limit ? rows.at(-1) : undefined;
  return { cases: rows.map(({ found }) => found), next: last?.place ?? null };
}

/** Numbers of cases by state: `open` without and `claimed` with a claim, `appealed` with an appeal that waits. */
export async function countOpenCases(pool: Pool): Promise<Readonly<Record<string, number>>> {
  const { rows } = await pool.query<{ counts: Record<string, number> }>(
    `SELECT json_build_object(
      'open', count(*) FILTER (WHERE status = 'open' AND claimed_by IS NULL),
      'claimed', count(*) FILTER (WHERE status = 'open' AND claimed_by IS NOT NULL),
      'appealed', count(*) FILTER (WHERE waiting_appeals <> '{}')) AS counts
    FROM cases.summary WHERE status = 'open' OR waiting_appeals <> '{}'`,
  );
  return rows[0]?.counts ?? {};
}

/** Cases whose decision has effects that are not executed, or not known to be. */
export async function casesWithPendingEffects(pool: Pool, limit: number): Promise<readonly string[]> {
  const { rows } = await pool.query<{ case_id: string }>(
    `SELECT case_id FROM cases.summary WHERE pending_effects <> '{}' ORDER BY case_id LIMIT $1`,
    [limit],
  );
  return rows.map(({ case_id: caseId }) => caseId);
}

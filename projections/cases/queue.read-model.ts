import type { Pool } from 'pg';
import { z } from 'zod';
import { caseOutcomes } from '../../src/domain/case/events.js';
import { severities } from '../../src/domain/report/report-reasons.js';
import { Parameters } from '../runner/parameters.js';
import { caseStateShape } from './cases.read-model.js';

/** `mine`: claimed by the operator who lists them. */
export const caseFilters = ['open', 'mine', 'claimed', 'appealed', 'decided', 'all'] as const;
export type CaseFilter = (typeof caseFilters)[number];

export const caseOrders = ['urgent', 'oldest', 'newest'] as const;

/** Times in Unix milliseconds. `reasons`: of its reports. `waitingAppeals`: the decisions whose appeals wait. */
export const listedCaseShape = z.strictObject({
  caseId: z.string(),
  postId: z.string().nullable(),
  targetActorId: z.string(),
  state: caseStateShape,
  /** The gravest reason's that no decision has seen; without one, the gravest of all. */
  severity: z.enum(severities),
  reports: z.number(),
  reasons: z.array(z.string()).readonly(),
  openedAt: z.number(),
  claimedBy: z.string().nullable(),
  decidedBy: z.string().nullable(),
  decidedAt: z.number().nullable(),
  outcome: z.enum(caseOutcomes).nullable(),
  waitingAppeals: z.array(z.string()).readonly(),
});

export type ListedCase = z.infer<typeof listedCaseShape>;

/** Cases of one author, or of posts through one application, reported for one reason; undefined: of any. */
interface CaseNarrowing {
  readonly reportedFor?: string | undefined;
  readonly author?: string | undefined;
  readonly application?: string | undefined;
}

/** `after`: the place of the last case of the page before. */
export interface CasePage extends CaseNarrowing {
  readonly filter: CaseFilter;
  /** The operator who lists; empty for the shared token, which claims none. */
  readonly operatorId: string;
  readonly order: (typeof caseOrders)[number];
  readonly after?: string | undefined;
  readonly limit: number;
}

/** Selects one row, with the answer in `data`. `schema`: of the published read models, which the filter by application alone reads. */
export type CaseStatement = (schema: string) => { readonly text: string; readonly values: unknown[] };

/** Answers a statement. */
export type Ask = <Data>(statement: CaseStatement) => Promise<Data>;

/** Answers statements that read no published model. */
export const askPool =
  (pool: Pool): Ask =>
  async <Data>(statement: CaseStatement) => {
    const { rows } = await pool.query<{ data: Data }>(statement(''));
    return (rows[0] as { data: Data }).data;
  };

const stateSql = `CASE WHEN waiting_appeals <> '{}' THEN 'appealed' WHEN status = 'decided' THEN 'decided'
  WHEN claimed_by IS NULL THEN 'open' ELSE 'claimed' END`;

/** Conditions of the filters; `mine` needs the operator, too. */
export const filterSql: Readonly<Record<CaseFilter, string>> = {
  open: `status = 'open' AND claimed_by IS NULL`,
  mine: 'claimed_by IS NOT NULL',
  claimed: 'claimed_by IS NOT NULL',
  decided: `status = 'decided'`,
  appealed: `waiting_appeals <> '{}'`,
  all: 'true',
};

const caseJson = `json_build_object('caseId', case_id, 'postId', post_id, 'targetActorId', target_actor_id,
  'state', ${stateSql}, 'severity', (ARRAY['${severities.join("', '")}'])[greatest(urgency / 10, 1)], 'reports', reports,
  'reasons', reasons, 'openedAt', opened_at, 'claimedBy', claimed_by, 'decidedBy', decided_by, 'decidedAt', decided_at,
  'outcome', outcome, 'waitingAppeals', waiting_appeals)`;

const byUrgency = 'rank, opened_position';

const orders = {
  urgent: {
    by: byUrgency,
    after: '(-urgency, opened_position) >',
    place: `urgency || '-' || opened_position`,
  },
  oldest: { by: 'opened_position', after: '(opened_position) >', place: 'opened_position::text' },
  newest: { by: 'opened_position DESC', after: '(opened_position) <', place: 'opened_position::text' },
} as const;

/** Conditions with an `undefined` among them. */
const all = (...conditions: readonly (string | undefined)[]): string =>
  conditions.filter((each) => each !== undefined).join(' AND ');

const narrowed = ({ reportedFor, author }: CaseNarrowing, parameters: Parameters): string =>
  all(
    'opened_position IS NOT NULL',
    reportedFor && `${parameters.add(reportedFor)}::text = ANY (reasons)`,
    author && `target_actor_id = ${parameters.add(author)}::text`,
  );

/** The filter by application looks at so many cases of the others: it reads the post of each. */
export const CANDIDATES = 10_000;

/** Cases under these conditions, in this order. */
function inOrder(
  { application }: CaseNarrowing,
  conditions: string,
  by: string,
  parameters: Parameters,
  schema: string,
): string {
  const cases = `SELECT *, -urgency AS rank FROM cases.summary WHERE ${conditions}`;
  if (application === undefined) return `FROM (${cases}) summary ORDER BY ${by}`;
  return `FROM (${cases} ORDER BY ${by} LIMIT ${CANDIDATES}) summary
    WHERE EXISTS (
      SELECT FROM "${schema}".post WHERE post.id = post_id AND post.app_id = ${parameters.add(application)}::text OFFSET 0)
    ORDER BY ${by}`;
}

/** As `data` of the one row that {@link CaseStatement} promises. */
const asData = (found: string): string => `
  SELECT (SELECT incarnation FROM recovery.publication) AS incarnation,
    (SELECT coalesce(json_agg(found), '[]') FROM (${found}) page) AS data`;

/** `activeAt`: of its claimer; null if no sign of theirs is stored. */
export interface FoundCase {
  readonly listed: ListedCase;
  readonly place: string;
  readonly activeAt: number | null;
}

const activeAt = `(SELECT active_at FROM cases.activity WHERE activity.case_id = summary.case_id AND operator_id = claimed_by)`;

/** `found`: what it selects of a case with this place. */
const pageSql =
  (
    { filter, operatorId, order, after, ...narrowing }: CasePage,
    found: (place: string) => string,
    count: string,
  ): CaseStatement =>
  (schema) => {
    const parameters = new Parameters();
    const { by, after: compare, place } = orders[order];
    const [position, urgency] = after?.split('-').toReversed() ?? [];
    const last = () => [
      ...(urgency === undefined ? [] : [`${parameters.add(-Number(urgency))}::integer`]),
      `${parameters.add(position)}::numeric`,
    ];
    const conditions = all(
      filterSql[filter],
      filter === 'mine' ? `claimed_by = ${parameters.add(operatorId)}::text` : undefined,
      narrowed(narrowing, parameters),
      after && `${compare} (${last().join(', ')})`,
    );
    const text = asData(
      `SELECT ${found(place)} AS found ${inOrder(narrowing, conditions, by, parameters, schema)} ${count}`,
    );
    return { text, values: parameters.values };
  };

export const casesPageSql = (page: CasePage): CaseStatement =>
  pageSql(
    page,
    (place) => `json_build_object('listed', ${caseJson}, 'place', ${place}, 'activeAt', ${activeAt})`,
    `LIMIT ${page.limit}`,
  );

/** The place of the last candidate, if there are so many. */
const lastCandidateSql = (page: CasePage): CaseStatement =>
  pageSql({ ...page, application: undefined }, (place) => place, `OFFSET ${CANDIDATES - 1} LIMIT 1`);

export async function casesPage(
  ask: Ask,
  page: CasePage,
): Promise<{ readonly cases: readonly FoundCase[]; readonly next: string | null }> {
  const cases = await ask<readonly FoundCase[]>(casesPageSql(page));
  if (cases.length === page.limit) return { cases, next: cases.at(-1)?.place ?? null };
  const [next = null] = page.application === undefined ? [] : await ask<string[]>(lastCandidateSql(page));
  return { cases, next };
}

interface Claimable extends CaseNarrowing {
  /** Appeals that wait; else open cases. */
  readonly isAppealed: boolean;
  readonly operatorId: string;
  /** Unix milliseconds. A claim without a later sign of its claimer is idle. */
  readonly idleSince: number;
  readonly except: readonly string[];
  readonly limit: number;
}

/** `idleOperatorId`: whose idle claim it is; null: nobody has claimed it. */
export interface Candidate {
  readonly caseId: string;
  readonly idleOperatorId: string | null;
}

/** Cases that nobody has claimed, or another operator who is idle, but none that the operator has left: the most urgent first. */
export const claimableSql =
  ({ isAppealed, operatorId, idleSince, except, limit, ...narrowing }: Claimable): CaseStatement =>
  (schema) => {
    const parameters = new Parameters();
    const operator = `${parameters.add(operatorId)}::text`;
    const isOwnDecision = `cardinality(waiting_appeals) = 1 AND decision_id = waiting_appeals[1] AND decided_by = ${operator}`;
    const conditions = all(
      isAppealed ? filterSql.appealed : `status = 'open'`,
      narrowed(narrowing, parameters),
      isAppealed ? `(${isOwnDecision}) IS NOT TRUE` : undefined,
      `(claimed_by IS NULL OR (claimed_by <> ${operator} AND coalesce(${activeAt}, 0) <= ${parameters.add(idleSince)}::bigint))`,
      `case_id <> ALL (${parameters.add(except)}::text[])`,
      `NOT EXISTS (SELECT FROM cases.activity WHERE activity.case_id = summary.case_id AND operator_id = ${operator} AND has_left)`,
    );
    const text = asData(`
      SELECT json_build_object('caseId', case_id, 'idleOperatorId', claimed_by) AS found
      ${inOrder(narrowing, conditions, byUrgency, parameters, schema)} LIMIT ${parameters.add(limit)}::integer`);
    return { text, values: parameters.values };
  };

/** Records that the claimer of a case is at it. */
export async function recordActivity(
  pool: Pool,
  caseId: string,
  operatorId: string,
  now: number,
): Promise<void> {
  await pool.query(
    `INSERT INTO cases.activity (case_id, operator_id, active_at) VALUES ($1, $2, $3)
    ON CONFLICT (case_id) DO UPDATE SET operator_id = EXCLUDED.operator_id, active_at = EXCLUDED.active_at, has_left = false`,
    [caseId, operatorId, now],
  );
}

/** Records that the operator leaves the case to others, if the last sign is theirs. */
export async function recordLeft(pool: Pool, caseId: string, operatorId: string, now: number): Promise<void> {
  await pool.query(
    'UPDATE cases.activity SET has_left = true, active_at = $3 WHERE case_id = $1 AND operator_id = $2',
    [caseId, operatorId, now],
  );
}

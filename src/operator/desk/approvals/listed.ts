import { z } from 'zod';
import type { AuthorityStore } from '../../../base/store/authority/authority-store.js';
import type { ApprovalDesk } from '../act.js';
import { readContent, shownFacts } from './content.js';
import { approvalWords } from './words.js';
import type { ApprovalWords } from './words.js';

const name = z.string().nullable();

/** Names are null of operators whom the log no longer knows. Times in Unix milliseconds. */
export const listedApproval = z.strictObject({
  approvalId: z.string(),
  act: z.string(),
  state: z.enum(['waiting', 'given', 'refused', 'voided', 'used', 'carried_out', 'expired']),
  requestedBy: z.string(),
  requestedByName: name,
  requestedAt: z.number(),
  expiresAt: z.number(),
  reason: z.string().nullable(),
  decidedBy: z.string().nullable(),
  decidedByName: name,
  decidedAt: z.number().nullable(),
  decision: z.string().nullable(),
  digest: z.string(),
  facts: shownFacts,
  ...approvalWords.shape,
});

export type ListedApproval = z.infer<typeof listedApproval>;

const LISTED = 50;

/** $1: now. */
const columns = `
  SELECT json_build_object('approvalId', approval_id, 'act', act, 'state', CASE
      WHEN expires_at <= $1 AND state IN ('waiting', 'given', 'used') THEN 'expired' ELSE state END,
    'requestedBy', requested_by, 'requestedByName', requester.name, 'requestedAt', requested_at,
    'expiresAt', expires_at, 'reason', reason, 'decidedBy', decided_by, 'decidedByName', decider.name,
    'decidedAt', decided_at, 'decision', decision, 'digest', digest) AS listed, content
  FROM authority.approval
  LEFT JOIN authority.operator requester ON requester.operator_id = requested_by
  LEFT JOIN authority.operator decider ON decider.operator_id = decided_by`;

interface Row {
  readonly listed: Omit<ListedApproval, 'facts' | keyof ApprovalWords>;
  readonly content: string;
}

type WordsOf = ApprovalDesk['wordsOf'];

function toListed({ listed, content }: Row, wordsOf: WordsOf): ListedApproval {
  const facts = content === '' ? {} : readContent(content).facts;
  return { ...listed, facts, ...wordsOf(listed.act, facts) };
}

export async function newestApprovals(
  store: AuthorityStore,
  wordsOf: WordsOf,
  now: number,
): Promise<readonly ListedApproval[]> {
  const text = `${columns} ORDER BY state IN ('waiting', 'given', 'used') AND expires_at > $1 DESC, requested_at DESC,
    approval_id LIMIT ${LISTED}`;
  return (await store.rows<Row>({ name: 'approvals', text }, [now])).map((row) => toListed(row, wordsOf));
}

export async function findApproval(
  store: AuthorityStore,
  wordsOf: WordsOf,
  approvalId: string,
  now: number,
): Promise<ListedApproval | undefined> {
  const text = `${columns} WHERE approval_id = $2`;
  const [row] = await store.rows<Row>({ name: 'approval', text }, [now, approvalId]);
  return row && toListed(row, wordsOf);
}

export async function countWaiting(store: AuthorityStore, now: number): Promise<number> {
  const text = `SELECT count(*)::int AS waiting FROM authority.approval WHERE state = 'waiting' AND expires_at > $1`;
  const [row] = await store.rows<{ waiting: number }>({ name: 'approvals.waiting', text }, [now]);
  return row?.waiting ?? 0;
}

interface WaitingApproval {
  readonly approvalId: string;
  readonly expiresAt: number;
  readonly content: string;
}

/** The requests of an operator for this act that nobody has decided, the newest first. */
export async function findWaiting(
  store: AuthorityStore,
  { operatorId, act, now }: { readonly operatorId: string; readonly act: string; readonly now: number },
): Promise<readonly WaitingApproval[]> {
  const text = `SELECT approval_id, expires_at, content FROM authority.approval
    WHERE state = 'waiting' AND expires_at > $1 AND requested_by = $2 AND act = $3
    ORDER BY requested_at DESC, approval_id LIMIT ${LISTED}`;
  const rows = await store.rows<{ approval_id: string; expires_at: string; content: string }>(
    { name: 'approval.waiting', text },
    [now, operatorId, act],
  );
  return rows
    .filter(({ content }) => content !== '')
    .map(({ approval_id, expires_at, content }) => ({
      approvalId: approval_id,
      expiresAt: Number(expires_at),
      content,
    }));
}

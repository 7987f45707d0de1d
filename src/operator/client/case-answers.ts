import { z } from 'zod';

/** Answers of the operator API about cases, as the command line reads them. Times are Unix milliseconds. */

export interface CaseQuery {
  readonly state?: string | undefined;
  readonly reportedFor?: string | undefined;
  readonly order?: 'newest' | 'oldest' | undefined;
  readonly after?: string | undefined;
}

export interface NewDecision {
  readonly outcome: string;
  readonly effects: readonly string[];
  readonly notice?: string | undefined;
}

const listed = z.object({
  caseId: z.string(),
  postId: z.string().nullable(),
  targetActorId: z.string(),
  state: z.string(),
  reports: z.number(),
  reasons: z.array(z.string()),
  openedAt: z.number(),
  claimedBy: z.string().nullable(),
  decidedBy: z.string().nullable(),
  decidedAt: z.number().nullable(),
  outcome: z.string().nullable(),
  waitingAppeals: z.array(z.string()),
  /** An active operator other than the one who decided may rule on an appeal. */
  hasOtherOperator: z.boolean(),
});

const operators = z.record(z.string(), z.string());

export const casePage = z.object({ cases: z.array(listed), operators, next: z.string().nullable() });

const text = z.object({ eventId: z.string(), at: z.number(), text: z.string(), erased: z.boolean() });

const report = z.object({
  reportId: z.string(),
  reason: z.string(),
  at: z.number(),
  isClosed: z.boolean(),
  reporterActorId: z.string().optional(),
  eventId: z.string().optional(),
  text: z.string().optional(),
  erased: z.boolean().optional(),
});

const decision = z.object({
  decisionId: z.string(),
  operatorId: z.string(),
  at: z.number(),
  outcome: z.string(),
  effects: z.array(z.string()),
  networkRevision: z.number(),
  appeal: z.string(),
  execution: z.string(),
  hasOtherOperator: z.boolean(),
});

const entry = z.object({
  eventId: z.string(),
  at: z.number(),
  type: z.string(),
  operatorId: z.string().nullable(),
  reason: z.string().nullable(),
  text: z.string().optional(),
  erased: z.boolean().optional(),
});

const hiding = z.object({
  of: z.enum(['post', 'account']),
  at: z.number(),
  operatorId: z.string().nullable(),
  cause: z.string().nullable(),
  decisionId: z.string().nullable(),
});

export const caseView = z.object({
  caseId: z.string(),
  postId: z.string().optional(),
  targetActorId: z.string(),
  state: z.string(),
  isOpen: z.boolean(),
  claimedBy: z.string().nullable(),
  isMine: z.boolean(),
  recusal: z.string().nullable(),
  hasOtherOperator: z.boolean(),
  hiddenBy: z.array(hiding),
  networkRevision: z.number(),
  reports: z.object({ total: z.number(), newest: z.array(report) }),
  decisions: z.array(decision),
  history: z.array(entry),
  operators,
  post: z.object({ status: z.string(), versions: z.array(text) }).nullable(),
  profile: text.nullable(),
});

/** `effects` pending: a store is away, and they follow by themselves. */
export const decidedAnswer = z.object({ effects: z.enum(['finished', 'pending']) });

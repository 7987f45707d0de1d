import { z } from 'zod';

/** Answers of the operator API about cases, as the command line reads them. Times are Unix milliseconds. */

export interface CaseQuery {
  readonly state?: string | undefined;
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
  openedAt: z.number(),
  claimedBy: z.string().nullable(),
  decidedBy: z.string().nullable(),
  decidedAt: z.number().nullable(),
  outcome: z.string().nullable(),
  waitingAppeals: z.array(z.string()),
});

const next = z.string().nullable();

export const casePage = z.object({ cases: z.array(listed), next });

export const appealPage = z.object({
  appeals: z.array(listed.extend({ hasOtherOperator: z.boolean() })),
  next,
});

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
  text: z.string().optional(),
  erased: z.boolean().optional(),
});

export const caseView = z.object({
  caseId: z.string(),
  postId: z.string().optional(),
  targetActorId: z.string(),
  state: z.string(),
  claimedBy: z.string().nullable(),
  networkRevision: z.number(),
  reports: z.object({ total: z.number(), newest: z.array(report) }),
  decisions: z.array(decision),
  history: z.array(entry),
  /** Null unless the caller has claimed the case. */
  post: z.object({ status: z.string(), versions: z.array(text) }).nullable(),
  profile: text.nullable(),
});

/** `effects` pending: a store is away, and they follow by themselves. */
export const decidedAnswer = z.object({ effects: z.enum(['finished', 'pending']) });

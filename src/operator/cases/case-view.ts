import { z } from 'zod';
import { caseStateShape, reportsOfCase } from '../../../projections/cases/cases.read-model.js';
import { recordActivity } from '../../../projections/cases/queue.read-model.js';
import type { CaseReports, CaseState } from '../../../projections/cases/cases.read-model.js';
import { readCase } from '../../commands/support/case-command.js';
import { DiscloseCase } from '../../commands/case/change-case.js';
import { hidingRestrictions } from '../../commands/support/grounds.js';
import type { CaseDecision, CaseEvent, ExistingCase } from '../../domain/case/case.js';
import { caseEffects, caseOutcomes } from '../../domain/case/events.js';
import { unknownCase } from '../../domain/case/handling.js';
import { reportReasons } from '../../domain/report/report-reasons.js';
import { disputedDecisions, makersOf, recusalOf } from '../../domain/case/recusal.js';
import type { Recorded } from '../../log/recorded.js';
import { recordLooks } from '../audit/looks.js';
import type { ActContext } from '../desk/act.js';
import { operatorIdOf, ownIdOf } from '../desk/caller.js';
import { operatorNames } from '../desk/identity/operator-names.js';
import { evidence, evidenceOf } from './case-evidence.js';
import { otherDeciders } from './case-operators.js';
import { postTexts, profileText, reportTexts, shownReport, shownText } from './case-texts.js';
import type { ShownReport } from './case-texts.js';
import { undefinedIfUnreachable } from '../desk/reachable.js';
import { listOf } from '../desk/schemas.js';

const REPORTS = 50;
const HISTORY = 200;

const decision = z.strictObject({
  decisionId: z.string(),
  operatorId: z.string(),
  approverId: z.string().optional(),
  at: z.number(),
  reason: z.string().nullable(),
  outcome: z.enum(caseOutcomes),
  effects: listOf(z.enum(caseEffects)),
  networkRevision: z.number(),
  appeal: z.enum(['none', 'waiting', 'upheld', 'overturned']),
  overturnedAfter: z.number().optional(),
  execution: z.enum(['none', 'due', 'applied', 'undoing', 'undone']),
  hasOtherOperator: z.boolean(),
});

const historyEvent = z.strictObject({
  eventId: z.string(),
  at: z.number(),
  type: z.string(),
  operatorId: z.string().nullable(),
  reason: z.string().nullable(),
  text: z.string().optional(),
  erased: z.boolean().optional(),
});

const restriction = z.strictObject({
  of: z.enum(['post', 'account']),
  at: z.number(),
  operatorId: z.string().nullable(),
  cause: z.string().nullable(),
  decisionId: z.string().nullable(),
});

export const shownCase = z.strictObject({
  caseId: z.string(),
  postId: z.string().optional(),
  targetActorId: z.string(),
  state: caseStateShape,
  /** False: it is decided, though an appeal may wait. */
  isOpen: z.boolean(),
  claimedBy: z.string().nullable(),
  /** True: the caller has claimed it, so it is shown with its texts. */
  isMine: z.boolean(),
  /** The reason for which the caller must leave the subject to others; null: they need not. */
  recusal: z.string().nullable(),
  /** False: nobody may decide it, because all who could made a decision that was appealed. */
  hasOtherOperator: z.boolean(),
  hiddenBy: listOf(restriction),
  networkRevision: z.number(),
  reports: z.strictObject({
    total: z.number(),
    byReason: z.record(z.string(), z.number()),
    newest: listOf(shownReport),
  }),
  evidence,
  /** Reasons of a decision to choose from. */
  reasons: listOf(z.string()),
  decisions: listOf(decision),
  history: listOf(historyEvent),
  operators: z.record(z.string(), z.string()),
  post: z.strictObject({ status: z.string(), versions: listOf(shownText) }).nullable(),
  profile: shownText.nullable(),
});

export type CaseView = z.infer<typeof shownCase>;

/**
 * The case as the caller may see it: to the operator who has claimed it with its texts, which is recorded before the
 * answer; to others without.
 * @throws {Refusal} `not_found`; errors of log and store.
 */
export async function viewOf(context: ActContext, caseId: string): Promise<CaseView> {
  const { log, pool, store, config } = context.services;
  const { state, events } = await readCase(log, caseId);
  if (state.status === 'none') throw unknownCase();
  const claimedBy = state.claim?.operatorId ?? null;
  const isMine = context.caller.kind === 'operator' && context.caller.operatorId === claimedBy;
  if (isMine)
    await undefinedIfUnreachable(recordActivity(pool, caseId, claimedBy, context.services.clock.now()));
  const reports = await reportsOfCase(pool, caseId, REPORTS);
  const texts = isMine ? await disclosedTexts(context, state, events, reports) : undefined;
  const newest: readonly ShownReport[] = texts?.reports ?? reports.newest;
  const history = events.slice(-HISTORY).map((recorded) => historyEntry(recorded, isMine));
  const { postId, targetActorId } = state.subject;
  const actor = { actorId: targetActorId };
  await recordLooks(context, postId === undefined ? [actor] : [{ postId }, actor]);
  const hasOther = await otherDeciders(store);
  const listed = (decision: CaseDecision) => ({
    ...decision,
    reason: reasonOf(decision, events),
    hasOtherOperator: hasOther(makersOf(decision)),
  });
  const hiddenBy = await hidingRestrictions(log, state.subject);
  const named = [...state.decisions, ...history, ...hiddenBy];
  const operators = [claimedBy, ...named.map(({ operatorId }) => operatorId)];
  return {
    ...state.subject,
    state: stateOf(state),
    isOpen: state.status === 'open',
    claimedBy,
    isMine,
    recusal: recusalOf(state, operatorIdOf(context.caller))?.message ?? null,
    hasOtherOperator: hasOther(disputedDecisions(state).flatMap(makersOf)),
    hiddenBy,
    networkRevision: reports.networkRevision,
    reports: { total: reports.total, byReason: reports.byReason, newest },
    evidence: await evidenceOf(context.services, state.subject),
    reasons: config.caseReasons ?? reportReasons,
    decisions: state.decisions.map(listed),
    history,
    operators: await operatorNames(store, operators),
    post: texts?.post ?? null,
    profile: texts?.profile ?? null,
  };
}

function stateOf({ status, claim, decisions }: ExistingCase): CaseState {
  if (decisions.some(({ appeal }) => appeal === 'waiting')) return 'appealed';
  if (status === 'decided') return 'decided';
  return claim ? 'claimed' : 'open';
}

const reasonOf = ({ decisionId }: CaseDecision, events: readonly Recorded<CaseEvent>[]): string | null =>
  events.find(({ event: { type, data } }) => type === 'case.decided' && data.decisionId === decisionId)
    ?.metadata.reason ?? null;

function historyEntry(recorded: Recorded<CaseEvent>, isMine: boolean): CaseView['history'][number] {
  const { id: eventId, event, metadata, erased } = recorded;
  const text = isMine ? textOf(recorded) : undefined;
  const { operatorId = null, reason = null } = metadata;
  const entry = { eventId, at: event.data.at, type: event.type, operatorId, reason };
  if (text === undefined && !(isMine && erased)) return entry;
  return { ...entry, text: text ?? '', erased };
}

/** Reads the texts of a case, and records that its claimer is shown them. @throws {Refusal} the claim has ended. */
async function disclosedTexts(
  { services: { log, commands }, caller, metadata }: ActContext,
  { subject }: ExistingCase,
  events: readonly Recorded<CaseEvent>[],
  { newest, networkRevision }: CaseReports,
) {
  const [post, profile, reports] = await Promise.all([
    postTexts(log, subject),
    profileText(log, subject),
    reportTexts(log, newest),
  ]);
  const texts = [...(post?.versions ?? []), ...(profile ? [profile] : []), ...reports];
  const own = events.slice(-HISTORY).filter((recorded) => textOf(recorded) !== undefined);
  const eventIds = [...own.map(({ id }) => id), ...texts.map(({ eventId }) => eventId)];
  const seen = { eventIds, networkRevision };
  const byOperator = { ...metadata, operatorId: ownIdOf(caller) };
  await commands.execute(new DiscloseCase(subject.caseId, seen, byOperator));
  return { post, profile, reports };
}

function textOf({ event: { data } }: Recorded<CaseEvent>): string | undefined {
  if ('note' in data) return data.note;
  if ('notice' in data) return data.notice === '' ? undefined : data.notice;
  return 'appeal' in data ? data.appeal : undefined;
}

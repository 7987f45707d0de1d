import { reportsOfCase } from '../../../projections/cases/cases.read-model.js';
import type { CaseReports, CaseState } from '../../../projections/cases/cases.read-model.js';
import { readCase } from '../../commands/case/case-command.js';
import { DiscloseCase } from '../../commands/case/change-case.js';
import type { CaseDecision, CaseEvent, ExistingCase } from '../../domain/case/case.js';
import { unknownCase } from '../../domain/case/handling.js';
import type { EventLog } from '../../log/event-log.js';
import type { Recorded } from '../../log/recorded.js';
import type { ActContext } from './act.js';
import { namesOf, otherDeciders } from './case-operators.js';
import { shownPost, shownProfile, shownReports } from './case-texts.js';
import type { ShownReport, ShownText } from './case-texts.js';

/** Newest reports and events that are shown. */
const REPORTS = 50;
const HISTORY = 200;

/**
 * The case as the caller may see it: to the operator who has claimed it with its texts, which is recorded before the
 * answer; to others without.
 * @throws {Refusal} `not_found`; errors of log and store.
 */
export async function viewOf({ services, caller, metadata }: ActContext, caseId: string) {
  const { log, pool, commands, store } = services;
  const { state, events } = await readCase(log, caseId);
  if (state.status === 'none') throw unknownCase();
  const reports = await reportsOfCase(pool, caseId, REPORTS);
  const operatorId = caller.kind === 'operator' ? caller.operatorId : undefined;
  const isClaimer = operatorId !== undefined && state.claim?.operatorId === operatorId;
  const shown = isClaimer ? await textsOf(log, state, events, reports) : undefined;
  if (shown && operatorId !== undefined) {
    const { eventIds } = shown;
    const seen = { eventIds, networkRevision: reports.networkRevision };
    await commands.execute(new DiscloseCase(caseId, seen, { ...metadata, operatorId }));
  }
  const hasOther = await otherDeciders(store);
  const newest: readonly ShownReport[] = shown?.reports ?? reports.newest;
  const claimedBy = state.claim?.operatorId ?? null;
  const history = events.slice(-HISTORY).map((recorded) => historyEntry(recorded, isClaimer));
  const operators = [claimedBy, ...[...state.decisions, ...history].map(({ operatorId: id }) => id)];
  return {
    ...state.subject,
    state: stateOf(state),
    /** False: it is decided, though an appeal may wait. */
    isOpen: state.status === 'open',
    claimedBy,
    /** The caller has claimed the case, so it is shown with its texts. */
    isMine: isClaimer,
    networkRevision: reports.networkRevision,
    reports: { total: reports.total, newest },
    decisions: state.decisions.map((decision) => decisionWith(decision, hasOther(decision.operatorId))),
    history,
    operators: await namesOf(store, operators),
    post: shown?.post ?? null,
    profile: shown?.profile ?? null,
  };
}

export type CaseView = Awaited<ReturnType<typeof viewOf>>;

function stateOf({ status, claim, decisions }: ExistingCase): CaseState {
  if (decisions.some(({ appeal }) => appeal === 'waiting')) return 'appealed';
  if (status === 'decided') return 'decided';
  return claim ? 'claimed' : 'open';
}

const decisionWith = (decision: CaseDecision, hasOtherOperator: boolean) => ({
  ...decision,
  hasOtherOperator,
});

interface HistoryEntry extends Partial<Pick<ShownText, 'text' | 'erased'>> {
  readonly eventId: string;
  readonly at: number;
  readonly type: CaseEvent['type'];
  readonly operatorId: string | null;
  readonly reason: string | null;
}

function historyEntry(recorded: Recorded<CaseEvent>, isClaimer: boolean): HistoryEntry {
  const { id: eventId, event, metadata, erased } = recorded;
  const text = isClaimer ? textOf(recorded) : undefined;
  const { operatorId = null, reason = null } = metadata;
  const entry = { eventId, at: event.data.at, type: event.type, operatorId, reason };
  if (text === undefined && !(isClaimer && erased)) return entry;
  return { ...entry, text: text ?? '', erased };
}

async function textsOf(
  log: EventLog,
  { subject }: ExistingCase,
  events: readonly Recorded<CaseEvent>[],
  { newest }: CaseReports,
) {
  const [post, profile, reports] = await Promise.all([
    shownPost(log, subject),
    shownProfile(log, subject),
    shownReports(log, newest),
  ]);
  const texts = [...(post?.versions ?? []), ...(profile ? [profile] : []), ...reports];
  const own = events.slice(-HISTORY).filter((recorded) => textOf(recorded) !== undefined);
  const eventIds = [...own.map(({ id }) => id), ...texts.map(({ eventId }) => eventId)];
  return { post, profile, reports, eventIds };
}

/** The note, notice or appeal of an event. */
function textOf({ event: { data } }: Recorded<CaseEvent>): string | undefined {
  if ('note' in data) return data.note;
  if ('notice' in data) return data.notice === '' ? undefined : data.notice;
  return 'appeal' in data ? data.appeal : undefined;
}

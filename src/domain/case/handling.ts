import { postText } from '../post/text.js';
import { Refusal } from '../refusal.js';
import type { Decision } from '../refusal.js';
import type { Case, ExistingCase } from './case.js';
import type {
  CaseClaimed,
  CaseDecided,
  CaseDisclosed,
  CaseEffect,
  CaseNoted,
  CaseOpened,
  CaseOutcome,
  CaseReleased,
  CaseReopened,
  CaseSubject,
} from './events.js';
import { makersOf, recusalOf } from './recusal.js';

const MAX_NOTES = 200;
/** Event ids that a decision keeps: those that were shown last. */
const MAX_SEEN = 1_000;

/** Without a sign of its claimer for so long, a claim is idle: 15 minutes after the last key, of which a page tells one a minute. */
export const CLAIM_IDLE_MS = 16 * 60_000;

interface Act {
  readonly operatorId: string;
  readonly at: number;
}

/** Opens the case of a report, or reopens it if the newest decision did not see the report at this position. */
export function openCase(
  state: Case,
  report: {
    readonly subject: CaseSubject;
    readonly reportId: string;
    readonly position: number;
    readonly at: number;
  },
): Decision<CaseOpened | CaseReopened> {
  const { subject, reportId, position, at } = report;
  const data = { ...subject, reportId, at };
  if (state.status === 'none') return [{ type: 'case.opened', data }];
  const covered = state.decisions.at(-1)?.networkRevision ?? 0;
  return state.status === 'decided' && position > covered ? [{ type: 'case.reopened', data }] : [];
}

export function reopenCase(state: Case, { operatorId, at }: Act): Decision<CaseReopened> {
  if (state.status === 'none') return unknownCase();
  if (state.status === 'open') return [];
  return recusalOf(state, operatorId) ?? [{ type: 'case.reopened', data: { ...state.subject, at } }];
}

export function claimCase(state: Case, { operatorId, at }: Act): Decision<CaseClaimed> {
  if (state.status === 'none') return unknownCase();
  if (state.claim?.operatorId === operatorId) return [];
  if (state.claim)
    return new Refusal('revision_conflict', `Operator ${state.claim.operatorId} has claimed this case.`);
  const waiting = state.decisions.filter(({ appeal }) => appeal === 'waiting');
  const canRule = waiting.some((decision) => !makersOf(decision).includes(operatorId));
  const recusal = canRule ? undefined : recusalOf(state, operatorId);
  if (recusal) return recusal;
  if (state.status === 'decided' && waiting.length === 0)
    return new Refusal('revision_conflict', 'This case is decided. To decide it anew, reopen it first.');
  return [{ type: 'case.claimed', data: { ...state.subject, operatorId, at } }];
}

/** Records what the claimer is shown; nothing if they were shown all of it during this claim. */
export function discloseCase(
  state: Case,
  {
    eventIds,
    networkRevision,
    operatorId,
    at,
  }: Act & Pick<CaseDisclosed['data'], 'eventIds' | 'networkRevision'>,
): Decision<CaseDisclosed> {
  const claimed = claimedBy(state, operatorId);
  if (claimed instanceof Refusal) return claimed;
  const { claim, subject } = claimed;
  const added = eventIds.filter((id) => !claim?.seenEventIds.includes(id));
  if (added.length === 0 && claim?.networkRevision !== undefined) return [];
  return [{ type: 'case.disclosed', data: { ...subject, operatorId, eventIds: added, networkRevision, at } }];
}

/** Ends the claim of any operator: the claimer may be away. */
export function releaseCase(state: Case, { at }: { readonly at: number }): Decision<CaseReleased> {
  if (state.status === 'none') return unknownCase();
  if (!state.claim) return [];
  return [{ type: 'case.released', data: { ...state.subject, operatorId: state.claim.operatorId, at } }];
}

/** Ends an idle claim, and claims the case. `idleOperatorId`: whose claim it is. A newer claim than an idle one is none of it. */
export function takeOverCase(
  state: Case,
  { idleOperatorId, operatorId, at }: Act & { readonly idleOperatorId: string },
): Decision<CaseReleased | CaseClaimed> {
  if (state.status === 'none') return unknownCase();
  if (state.claim?.operatorId !== idleOperatorId || at - state.claim.at < CLAIM_IDLE_MS)
    return new Refusal('revision_conflict', 'Somebody has claimed or released this case meanwhile.');
  const claimed = claimCase({ ...state, claim: undefined }, { operatorId, at });
  if (claimed instanceof Refusal) return claimed;
  return [{ type: 'case.released', data: { ...state.subject, operatorId: idleOperatorId, at } }, ...claimed];
}

export function noteCase(
  state: Case,
  { note: typed, at }: { readonly note: string; readonly at: number },
): Decision<CaseNoted> {
  if (state.status === 'none') return unknownCase();
  if (state.notes >= MAX_NOTES)
    return new Refusal('domain_plan_too_large', `This case has ${MAX_NOTES} notes, and takes no more.`);
  const note = postText(typed);
  return note instanceof Refusal ? note : [{ type: 'case.noted', data: { ...state.subject, note, at } }];
}

export interface NewDecision extends Act {
  readonly decisionId: string;
  readonly outcome: CaseOutcome;
  readonly effects: readonly CaseEffect[];
  readonly notice?: string | undefined;
}

export function decideCase(state: Case, decision: NewDecision): Decision<CaseDecided> {
  const { decisionId, outcome, operatorId, at } = decision;
  if (state.status === 'decided')
    return new Refusal('revision_conflict', 'This case is decided. To decide it anew, reopen it first.');
  const claimed = recusalOf(state, operatorId) ?? claimedBy(state, operatorId);
  if (claimed instanceof Refusal) return claimed;
  const { subject, claim } = claimed;
  const networkRevision = claim?.networkRevision;
  if (networkRevision === undefined)
    return new Refusal(
      'revision_conflict',
      'You have not seen this case since you claimed it: show it first.',
    );
  const effects = [...new Set(decision.effects)];
  if (effects.includes('restrict_post') && subject.postId === undefined)
    return new Refusal('effect_mismatch', 'This case is about an actor: there is no post to restrict.');
  const notice = optionalText(decision.notice);
  if (notice instanceof Refusal) return notice;
  if (outcome === 'no_violation' && (effects.length > 0 || notice !== ''))
    return new Refusal('effect_mismatch', 'Only a violation has effects and a notice.');
  const seenEventIds = claim?.seenEventIds.slice(-MAX_SEEN) ?? [];
  const data = { decisionId, operatorId, seenEventIds, networkRevision, outcome, effects, notice, at };
  return [{ type: 'case.decided', data: { ...subject, ...data } }];
}

export function claimedBy(state: Case, operatorId: string): ExistingCase | Refusal {
  if (state.status === 'none') return unknownCase();
  if (state.claim?.operatorId === operatorId) return state;
  const why = state.claim
    ? `operator ${state.claim.operatorId} has claimed it`
    : 'claim it first, also if somebody has ended your claim';
  return new Refusal('not_owner', `You have not claimed this case: ${why}.`);
}

export const unknownCase = (): Refusal => new Refusal('not_found', 'There is no such case.');

export const ownAppeal = (): Refusal =>
  new Refusal(
    'not_owner',
    'You decided this case, or approved that: another operator must rule on the appeal.',
  );

/** A text of 1 to 2,000 code points; empty if none is given. */
export function optionalText(typed: string | undefined): string | Refusal {
  return typed === undefined || typed.trim() === '' ? '' : postText(typed);
}

import { postText } from '../post/text.js';
import { Refusal } from '../refusal.js';
import type { Decision } from '../refusal.js';
import type { Case, CaseDecision } from './case.js';
import type {
  CaseAppealed,
  CaseAppealOverturned,
  CaseAppealUpheld,
  CaseEffect,
  CaseEffectsApplied,
  CaseEffectsUndone,
} from './events.js';
import { claimedBy, optionalText, ownAppeal, unknownCase } from './handling.js';
import { makersOf } from './recusal.js';

export interface NewAppeal {
  readonly actorId: string;
  readonly decisionId: string;
  readonly appeal: string;
  readonly at: number;
}

/** To anybody but the target actor the case does not exist. */
export function appealDecision(
  state: Case,
  { actorId, decisionId, ...filed }: NewAppeal,
): Decision<CaseAppealed> {
  const unknown = new Refusal('not_found', 'There is no such decision about you.');
  if (state.status === 'none' || state.subject.targetActorId !== actorId) return unknown;
  const decision = state.decisions.find((each) => each.decisionId === decisionId);
  if (decision?.outcome !== 'violation') return unknown;
  if (decision.appeal !== 'none')
    return new Refusal(
      'revision_conflict',
      'You have appealed this decision already. There is one appeal a decision.',
    );
  const appeal = postText(filed.appeal.replaceAll('\r\n', '\n'));
  if (appeal instanceof Refusal) return appeal;
  return [{ type: 'case.appealed', data: { ...state.subject, decisionId, appeal, at: filed.at } }];
}

/** `decisionId`: may be missing where one appeal waits. */
export interface Ruling {
  readonly operatorId: string;
  readonly decisionId?: string | undefined;
  readonly ruling: 'upheld' | 'overturned';
  readonly notice?: string | undefined;
  readonly at: number;
}

/** Rules on an appeal that waits and whose decision was another operator's. */
export function ruleOnAppeal(
  state: Case,
  { operatorId, decisionId, ruling, notice: typed, at }: Ruling,
): Decision<CaseAppealUpheld | CaseAppealOverturned> {
  if (state.status === 'none') return unknownCase();
  const waiting = state.decisions.filter(({ appeal }) => appeal === 'waiting');
  if (waiting.length === 0) return new Refusal('revision_conflict', 'No appeal waits in this case.');
  const named = waiting.filter((each) => decisionId === undefined || each.decisionId === decisionId);
  if (named.length === 0) return new Refusal('revision_conflict', 'No appeal against this decision waits.');
  const [decision, other] = named.filter((each) => !makersOf(each).includes(operatorId));
  if (!decision) return ownAppeal();
  if (other)
    return new Refusal(
      'revision_conflict',
      'Appeals against several decisions wait: read them again, and name the decision.',
    );
  const claimed = claimedBy(state, operatorId);
  if (claimed instanceof Refusal) return claimed;
  const notice = optionalText(typed);
  if (notice instanceof Refusal) return notice;
  const data = { ...claimed.subject, decisionId: decision.decisionId, operatorId, notice, at };
  return [{ type: `case.appeal_${ruling}`, data }];
}

export function unfinishedDecisions(state: Case): readonly CaseDecision[] {
  if (state.status === 'none') return [];
  return state.decisions.filter(({ execution }) => execution === 'due' || execution === 'undoing');
}

export interface Execution {
  readonly decisionId: string;
  readonly execution: 'applied' | 'undone';
  readonly changed: readonly CaseEffect[];
  readonly at: number;
}

/** Records that the effects of a decision were applied or undone, once. */
export function finishEffects(
  state: Case,
  { decisionId, execution, changed, at }: Execution,
): Decision<CaseEffectsApplied | CaseEffectsUndone> {
  if (state.status === 'none') return unknownCase();
  const due = execution === 'applied' ? 'due' : 'undoing';
  if (!state.decisions.some((each) => each.decisionId === decisionId && each.execution === due)) return [];
  return [{ type: `case.effects_${execution}`, data: { ...state.subject, decisionId, changed, at } }];
}

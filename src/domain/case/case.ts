import type {
  CaseAppealed,
  CaseAppealOverturned,
  CaseAppealUpheld,
  CaseClaimed,
  CaseDecided,
  CaseDisclosed,
  CaseEffect,
  CaseEffectsApplied,
  CaseEffectsUndone,
  CaseNoted,
  CaseOpened,
  CaseOutcome,
  CaseReleased,
  CaseReopened,
  CaseSubject,
} from './events.js';

export type CaseEvent =
  | CaseOpened
  | CaseReopened
  | CaseClaimed
  | CaseDisclosed
  | CaseReleased
  | CaseNoted
  | CaseDecided
  | CaseAppealed
  | CaseAppealUpheld
  | CaseAppealOverturned
  | CaseEffectsApplied
  | CaseEffectsUndone;

export interface CaseDecision {
  readonly decisionId: string;
  readonly operatorId: string;
  /** The approving operator under four-eyes. The events of the case do not tell. */
  readonly approverId?: string | undefined;
  readonly at: number;
  readonly outcome: CaseOutcome;
  readonly effects: readonly CaseEffect[];
  readonly networkRevision: number;
  readonly appeal: 'none' | 'waiting' | 'upheld' | 'overturned';
  /** Number of decisions that the case had when this one was overturned. */
  readonly overturnedAfter?: number;
  /** `due` and `undoing`: to be executed, and no event records that this is done. */
  readonly execution: 'none' | 'due' | 'applied' | 'undoing' | 'undone';
}

export interface Claim {
  readonly operatorId: string;
  readonly at: number;
  readonly seenEventIds: readonly string[];
  /** Undefined: the claimer was not shown the case yet. */
  readonly networkRevision: number | undefined;
}

export interface ExistingCase {
  readonly status: 'open' | 'decided';
  readonly subject: CaseSubject;
  readonly claim: Claim | undefined;
  readonly notes: number;
  readonly decisions: readonly CaseDecision[];
}

export type Case = { readonly status: 'none' } | ExistingCase;

export const noCase: Case = { status: 'none' };

export function evolveCase(state: Case, event: CaseEvent): Case {
  const { caseId, postId, targetActorId } = event.data;
  const subject = { caseId, postId, targetActorId };
  // A restored log may lack the event that opened the case.
  const known: ExistingCase =
    state.status === 'none' ? { status: 'open', subject, claim: undefined, notes: 0, decisions: [] } : state;
  return { ...known, ...changesBy(known, event) };
}

function changesBy(known: ExistingCase, { type, data }: CaseEvent): Partial<ExistingCase> {
  switch (type) {
    case 'case.opened':
    case 'case.reopened':
      return { status: 'open' };
    case 'case.claimed':
      return {
        claim: {
          operatorId: data.operatorId,
          at: data.at,
          seenEventIds: [],
          networkRevision: undefined,
        },
      };
    case 'case.disclosed':
      return known.claim ? { claim: seeing(known.claim, data) } : {};
    case 'case.released':
      return { claim: undefined };
    case 'case.noted':
      return { notes: known.notes + 1 };
    case 'case.decided':
      return { status: 'decided', claim: undefined, decisions: [...known.decisions, decisionOf(data)] };
    case 'case.appealed':
      return withDecision(known, data, () => ({ appeal: 'waiting' }));
    case 'case.appeal_upheld':
      return { ...withDecision(known, data, () => ({ appeal: 'upheld' })), claim: undefined };
    case 'case.appeal_overturned':
      return {
        ...withDecision(known, data, () => ({
          appeal: 'overturned',
          overturnedAfter: known.decisions.length,
          execution: 'undoing',
        })),
        claim: undefined,
      };
    case 'case.effects_applied':
      return withDecision(known, data, ({ execution }) =>
        execution === 'due' ? { execution: 'applied' } : {},
      );
    case 'case.effects_undone':
      return withDecision(known, data, () => ({ execution: 'undone' }));
  }
}

const seeing = (
  claim: Claim,
  { eventIds, networkRevision }: Pick<CaseDisclosed['data'], 'eventIds' | 'networkRevision'>,
): Claim => ({ ...claim, seenEventIds: [...new Set([...claim.seenEventIds, ...eventIds])], networkRevision });

function decisionOf({
  decisionId,
  operatorId,
  at,
  outcome,
  effects,
  networkRevision,
}: CaseDecided['data']): CaseDecision {
  const execution = effects.length > 0 ? 'due' : 'none';
  return { decisionId, operatorId, at, outcome, effects, networkRevision, appeal: 'none', execution };
}

const withDecision = (
  { decisions }: ExistingCase,
  { decisionId }: { readonly decisionId: string },
  change: (decision: CaseDecision) => Partial<CaseDecision>,
): Partial<ExistingCase> => ({
  decisions: decisions.map((each) => (each.decisionId === decisionId ? { ...each, ...change(each) } : each)),
});

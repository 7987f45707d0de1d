import type { DomainEvent, EventTime } from '../event.js';

/** A case is about one post or one actor. `targetActorId`: that actor, or the author of the post. */
export interface CaseSubject {
  readonly caseId: string;
  readonly postId?: string | undefined;
  readonly targetActorId: string;
}

type CaseData = CaseSubject & EventTime;
type ByOperator = { readonly operatorId: string };
type OfDecision = { readonly decisionId: string };

export const caseOutcomes = ['violation', 'no_violation'] as const;
export type CaseOutcome = (typeof caseOutcomes)[number];

export const caseEffects = ['restrict_post', 'suspend_actor'] as const;
export type CaseEffect = (typeof caseEffects)[number];

/** `reportId`: the first report of the subject. */
export type CaseOpened = DomainEvent<'case.opened', { readonly reportId: string } & CaseData>;

/** `reportId`: a report that the decision did not see. Undefined: an operator reopened the case. */
export type CaseReopened = DomainEvent<
  'case.reopened',
  { readonly reportId?: string | undefined } & CaseData
>;

export type CaseClaimed = DomainEvent<'case.claimed', ByOperator & CaseData>;

/**
 * The claimer is shown the texts of these events. `networkRevision`: reports up to this position are listed, even those
 * whose texts are not shown.
 */
export type CaseDisclosed = DomainEvent<
  'case.disclosed',
  { readonly eventIds: readonly string[]; readonly networkRevision: number } & ByOperator & CaseData
>;

/** `operatorId`: the operator whose claim ends. */
export type CaseReleased = DomainEvent<'case.released', ByOperator & CaseData>;

/** `note`: for operators; personal, of the target actor. */
export type CaseNoted = DomainEvent<'case.noted', { readonly note: string } & CaseData>;

/**
 * Closes the reports up to `networkRevision`. `seenEventIds`: the events whose texts the operator was shown. `notice`:
 * to the target actor, and personal; may be empty.
 */
export type CaseDecided = DomainEvent<
  'case.decided',
  {
    readonly seenEventIds: readonly string[];
    readonly networkRevision: number;
    readonly outcome: CaseOutcome;
    readonly effects: readonly CaseEffect[];
    readonly notice: string;
  } & OfDecision &
    ByOperator &
    CaseData
>;

/** `appeal`: of the target actor, and personal. */
export type CaseAppealed = DomainEvent<'case.appealed', { readonly appeal: string } & OfDecision & CaseData>;

type Ruling = { readonly notice: string } & OfDecision & ByOperator & CaseData;

export type CaseAppealUpheld = DomainEvent<'case.appeal_upheld', Ruling>;

export type CaseAppealOverturned = DomainEvent<'case.appeal_overturned', Ruling>;

/** `changed`: the effects that changed something. The others were in force already, or are not possible any more. */
type Execution = { readonly changed: readonly CaseEffect[] } & OfDecision & CaseData;

export type CaseEffectsApplied = DomainEvent<'case.effects_applied', Execution>;

/** The other effects of the decision stay, because somebody acted on their subject since. */
export type CaseEffectsUndone = DomainEvent<'case.effects_undone', Execution>;

import { z } from 'zod';
import { event, id, inData, omitted, personal, pseudonym } from '../event.js';
import type { EventIn } from '../event.js';

/** A case is about one post or one actor. `targetActorId`: that actor, or the author of the post. */
export interface CaseSubject {
  readonly caseId: string;
  readonly postId?: string | undefined;
  readonly targetActorId: string;
}

export const caseOutcomes = ['violation', 'no_violation'] as const;
export type CaseOutcome = (typeof caseOutcomes)[number];

export const caseEffects = ['restrict_post', 'suspend_actor'] as const;
export type CaseEffect = (typeof caseEffects)[number];

const subject = {
  caseId: pseudonym(id),
  postId: pseudonym(id.optional()),
  targetActorId: pseudonym(id),
};
const byOperator = { ...subject, operatorId: omitted(id) };
const ofDecision = { ...subject, decisionId: pseudonym(id) };
const effects = inData(z.array(z.enum(caseEffects)));
const networkRevision = inData(z.int().nonnegative());
/** To the target actor; may be empty. */
const notice = personal(z.string(), '');
const person = 'targetActorId';

const claim = event(byOperator);
const ruling = event({ ...ofDecision, ...byOperator, notice }, { person });
/** `changed`: the effects that changed something. The others were in force already, or are not possible any more. */
const execution = event({ ...ofDecision, changed: effects });

export const caseEvents = {
  /** `reportId`: the first report of the subject. */
  'case.opened': event({ ...subject, reportId: pseudonym(id) }),
  /** `reportId`: a report that the decision did not see. Undefined: an operator reopened the case. */
  'case.reopened': event({ ...subject, reportId: pseudonym(id.optional()) }),
  'case.claimed': claim,
  /**
   * The claimer is shown the texts of these events. `networkRevision`: reports up to this position are listed, even those
   * whose texts are not shown.
   */
  'case.disclosed': event({ ...byOperator, eventIds: omitted(z.array(id)), networkRevision }),
  /** `operatorId`: the operator whose claim ends. */
  'case.released': claim,
  /** `note`: for operators. */
  'case.noted': event({ ...subject, note: personal(z.string(), '') }, { person }),
  /** Closes the reports up to `networkRevision`. `seenEventIds`: the events whose texts the operator was shown. */
  'case.decided': event(
    {
      ...ofDecision,
      ...byOperator,
      seenEventIds: omitted(z.array(id)),
      networkRevision,
      outcome: inData(z.enum(caseOutcomes)),
      effects,
      notice,
    },
    { person },
  ),
  /** `appeal`: of the target actor. */
  'case.appealed': event({ ...ofDecision, appeal: personal(z.string(), '') }, { person }),
  'case.appeal_upheld': ruling,
  'case.appeal_overturned': ruling,
  'case.effects_applied': execution,
  /** The other effects of the decision stay, because somebody acted on their subject since. */
  'case.effects_undone': execution,
};

export type CaseOpened = EventIn<typeof caseEvents, 'case.opened'>;
export type CaseReopened = EventIn<typeof caseEvents, 'case.reopened'>;
export type CaseClaimed = EventIn<typeof caseEvents, 'case.claimed'>;
export type CaseDisclosed = EventIn<typeof caseEvents, 'case.disclosed'>;
export type CaseReleased = EventIn<typeof caseEvents, 'case.released'>;
export type CaseNoted = EventIn<typeof caseEvents, 'case.noted'>;
export type CaseDecided = EventIn<typeof caseEvents, 'case.decided'>;
export type CaseAppealed = EventIn<typeof caseEvents, 'case.appealed'>;
export type CaseAppealUpheld = EventIn<typeof caseEvents, 'case.appeal_upheld'>;
export type CaseAppealOverturned = EventIn<typeof caseEvents, 'case.appeal_overturned'>;
export type CaseEffectsApplied = EventIn<typeof caseEvents, 'case.effects_applied'>;
export type CaseEffectsUndone = EventIn<typeof caseEvents, 'case.effects_undone'>;

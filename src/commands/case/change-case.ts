import { appealDecision, ruleOnAppeal } from '../../domain/case/appeals.js';
import type { NewAppeal, Ruling } from '../../domain/case/appeals.js';
import type { Case, CaseEvent } from '../../domain/case/case.js';
import type { CaseDisclosed } from '../../domain/case/events.js';
import {
  claimCase,
  decideCase,
  discloseCase,
  noteCase,
  releaseCase,
  reopenCase,
  takeOverCase,
} from '../../domain/case/handling.js';
import type { NewDecision } from '../../domain/case/handling.js';
import type { Decision } from '../../domain/refusal.js';
import type { EventMetadata } from '../../log/recorded.js';
import { CaseCommand, changeCase } from '../support/case-command.js';
import type { OperatorMetadata } from '../support/case-command.js';
import { isChange } from '../support/handle-command.js';
import { handles } from '../support/handles.js';
import { Recusals } from '../support/recusals.js';

/** One of two operators at the same time gets `revision_conflict`. */
export class ClaimCase extends CaseCommand {}

/** One of two operators at the same time gets `revision_conflict`, and so does one whose colleague's claim has changed meanwhile. */
export class TakeOverCase extends CaseCommand {
  constructor(
    caseId: string,
    readonly idleOperatorId: string,
    metadata: OperatorMetadata,
  ) {
    super(caseId, metadata);
  }
}

export class ReleaseCase extends CaseCommand {}

export class ReopenCase extends CaseCommand {}

/** Not idempotent. */
export class NoteCase extends CaseCommand {
  constructor(
    caseId: string,
    readonly note: string,
    metadata: OperatorMetadata,
  ) {
    super(caseId, metadata);
  }
}

/** Records the texts that the claimer is shown, before the answer. */
export class DiscloseCase extends CaseCommand {
  constructor(
    caseId: string,
    readonly seen: Pick<CaseDisclosed['data'], 'eventIds' | 'networkRevision'>,
    metadata: OperatorMetadata,
  ) {
    super(caseId, metadata);
  }
}

/** A repetition is refused. The effects follow with `FinishCaseEffects`. */
export class DecideCase extends CaseCommand {
  constructor(
    caseId: string,
    readonly decision: Pick<NewDecision, 'outcome' | 'effects' | 'notice'>,
    metadata: OperatorMetadata,
  ) {
    super(caseId, metadata);
  }
}

/** A repetition is refused. */
export class RuleOnAppeal extends CaseCommand {
  constructor(
    caseId: string,
    readonly ruling: Pick<Ruling, 'decisionId' | 'ruling' | 'notice'>,
    metadata: OperatorMetadata,
  ) {
    super(caseId, metadata);
  }
}

/** A repetition is refused. */
export class AppealDecision extends CaseCommand<EventMetadata> {
  constructor(
    caseId: string,
    readonly filed: Pick<NewAppeal, 'actorId' | 'decisionId' | 'appeal'>,
    metadata: EventMetadata,
  ) {
    super(caseId, metadata);
  }
}

/** The handler of a command that a rule of the domain decides alone. */
const decides = <Asked extends CaseCommand<EventMetadata>>(
  command: abstract new (...args: never) => Asked,
  rule: (state: Case, asked: Asked, at: number) => Decision<CaseEvent>,
) => handles(command, (asked, write) => changeCase(asked, write, (state, at) => rule(state, asked, at)));

export const caseHandlers = [
  decides(ClaimCase, (state, { metadata: { operatorId } }, at) => claimCase(state, { operatorId, at })),
  decides(TakeOverCase, (state, { idleOperatorId, metadata: { operatorId } }, at) =>
    takeOverCase(state, { idleOperatorId, operatorId, at }),
  ),
  decides(ReleaseCase, (state, _asked, at) => releaseCase(state, { at })),
  decides(ReopenCase, (state, { metadata: { operatorId } }, at) => reopenCase(state, { operatorId, at })),
  decides(NoteCase, (state, { note }, at) => noteCase(state, { note, at })),
  decides(DiscloseCase, (state, { seen, metadata: { operatorId } }, at) =>
    discloseCase(state, { ...seen, operatorId, at }),
  ),
  handles(DecideCase, { recusals: Recusals }, (asked, write, { recusals }) => {
    const { decision, metadata } = asked;
    const { operatorId } = metadata;
    return changeCase(asked, write, async (state, at) => {
      const decisionId = write.ids.random();
      const decided = decideCase(state, { ...decision, decisionId, operatorId, at });
      if (state.status === 'none' || !isChange(decided) || !decision.effects.includes('suspend_actor'))
        return decided;
      return (await recusals.ofDecision(state.subject, metadata)) ?? decided;
    });
  }),
  decides(RuleOnAppeal, (state, { ruling, metadata: { operatorId } }, at) =>
    ruleOnAppeal(state, { ...ruling, operatorId, at }),
  ),
  decides(AppealDecision, (state, { filed }, at) => appealDecision(state, { ...filed, at })),
];

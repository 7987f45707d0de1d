import { CommandHandler } from '@nestjs/cqrs';
import type { ICommandHandler } from '@nestjs/cqrs';
import { appealDecision, ruleOnAppeal } from '../../domain/case/appeals.js';
import type { NewAppeal, Ruling } from '../../domain/case/appeals.js';
import type { Case } from '../../domain/case/case.js';
import type { CaseDisclosed } from '../../domain/case/events.js';
import {
  claimCase,
  decideCase,
  discloseCase,
  noteCase,
  releaseCase,
  reopenCase,
} from '../../domain/case/handling.js';
import type { NewDecision } from '../../domain/case/handling.js';
import { EventLog } from '../../log/event-log.js';
import type { EventMetadata } from '../../log/recorded.js';
import { Clock } from '../../base/support/clock.js';
import { isChange } from '../support/handle-command.js';
import { IdGenerator } from '../../base/support/id-generator.js';
import { CaseCommand, CaseHandler } from '../support/case-command.js';
import type { OperatorMetadata } from '../support/case-command.js';
import { Recusals } from '../support/recusals.js';

/** One of two operators at the same time gets `revision_conflict`. */
export class ClaimCase extends CaseCommand {}

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

@CommandHandler(ClaimCase)
export class ClaimCaseHandler extends CaseHandler<ClaimCase> implements ICommandHandler<ClaimCase> {
  protected decide(state: Case, { metadata: { operatorId } }: ClaimCase, at: number) {
    return claimCase(state, { operatorId, at });
  }
}

@CommandHandler(ReleaseCase)
export class ReleaseCaseHandler extends CaseHandler<ReleaseCase> implements ICommandHandler<ReleaseCase> {
  protected decide(state: Case, _asked: ReleaseCase, at: number) {
    return releaseCase(state, { at });
  }
}

@CommandHandler(ReopenCase)
export class ReopenCaseHandler extends CaseHandler<ReopenCase> implements ICommandHandler<ReopenCase> {
  protected decide(state: Case, { metadata: { operatorId } }: ReopenCase, at: number) {
    return reopenCase(state, { operatorId, at });
  }
}

@CommandHandler(NoteCase)
export class NoteCaseHandler extends CaseHandler<NoteCase> implements ICommandHandler<NoteCase> {
  protected decide(state: Case, { note }: NoteCase, at: number) {
    return noteCase(state, { note, at });
  }
}

@CommandHandler(DiscloseCase)
export class DiscloseCaseHandler extends CaseHandler<DiscloseCase> implements ICommandHandler<DiscloseCase> {
  protected decide(state: Case, { seen, metadata: { operatorId } }: DiscloseCase, at: number) {
    return discloseCase(state, { ...seen, operatorId, at });
  }
}

@CommandHandler(DecideCase)
export class DecideCaseHandler extends CaseHandler<DecideCase> implements ICommandHandler<DecideCase> {
  constructor(
    log: EventLog,
    clock: Clock,
    ids: IdGenerator,
    private readonly recusals: Recusals,
  ) {
    super(log, clock, ids);
  }

  protected async decide(state: Case, { decision, metadata }: DecideCase, at: number) {
    const { operatorId } = metadata;
    const decided = decideCase(state, { ...decision, decisionId: this.ids.random(), operatorId, at });
    if (state.status === 'none' || !isChange(decided) || !decision.effects.includes('suspend_actor'))
      return decided;
    return (await this.recusals.ofDecision(state.subject, metadata)) ?? decided;
  }
}

@CommandHandler(RuleOnAppeal)
export class RuleOnAppealHandler extends CaseHandler<RuleOnAppeal> implements ICommandHandler<RuleOnAppeal> {
  protected decide(state: Case, { ruling, metadata: { operatorId } }: RuleOnAppeal, at: number) {
    return ruleOnAppeal(state, { ...ruling, operatorId, at });
  }
}

@CommandHandler(AppealDecision)
export class AppealDecisionHandler
  extends CaseHandler<AppealDecision>
  implements ICommandHandler<AppealDecision>
{
  protected decide(state: Case, { filed }: AppealDecision, at: number) {
    return appealDecision(state, { ...filed, at });
  }
}

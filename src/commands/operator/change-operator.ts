import { Injectable } from '@nestjs/common';
import { Command, CommandHandler } from '@nestjs/cqrs';
import type { ICommandHandler } from '@nestjs/cqrs';
import type { ExpectedLifecycle } from '../../domain/lifecycle.js';
import {
  changeRoles,
  evolveOperator,
  noOperator,
  reinstateOperator,
  suspendOperator,
} from '../../domain/operator/operator.js';
import type { Operator, OperatorChange, OperatorEvent, Raising } from '../../domain/operator/operator.js';
import type { Role } from '../../domain/operator/roles.js';
import type { Decision } from '../../domain/refusal.js';
import { EventLog } from '../../log/event-log.js';
import type { EventMetadata } from '../../log/recorded.js';
import { streams } from '../../log/streams.js';
import { AuthorityStore } from '../../store/authority/authority-store.js';
import { Clock } from '../support/clock.js';
import { IdGenerator } from '../support/id-generator.js';
import { decideLifecycle } from '../support/decide-lifecycle.js';
import type { LifecycleChange } from '../support/decide-lifecycle.js';

/**
 * Each is effective on the operator's next request to any process, and idempotent.
 * @throws {Refusal} `not_found`, `lifecycle_revision_conflict`; errors of log and store.
 */
export class SuspendOperator extends Command<LifecycleChange> {
  constructor(
    readonly operatorId: string,
    readonly metadata: EventMetadata,
    readonly expected: ExpectedLifecycle = {},
  ) {
    super();
  }
}

/** Tokens that were neither revoked nor expired meanwhile are valid again. */
export class ReinstateOperator extends Command<LifecycleChange> {
  constructor(
    readonly operatorId: string,
    readonly metadata: EventMetadata,
    readonly expected: ExpectedLifecycle & Raising = {},
  ) {
    super();
  }
}

/** `expected.roles`: all roles from now on. */
export class ChangeOperatorRoles extends Command<LifecycleChange> {
  constructor(
    readonly operatorId: string,
    readonly metadata: EventMetadata,
    readonly expected: ExpectedLifecycle & Raising & { readonly roles: readonly Role[] },
  ) {
    super();
  }
}

type Change = SuspendOperator | ReinstateOperator | ChangeOperatorRoles;

@Injectable()
abstract class OperatorChangeHandler<Asked extends Change> {
  protected abstract readonly decide: (
    operator: Operator,
    change: OperatorChange & Asked['expected'],
  ) => Decision<OperatorEvent>;

  constructor(
    protected readonly log: EventLog,
    protected readonly store: AuthorityStore,
    protected readonly clock: Clock,
    protected readonly ids: IdGenerator,
  ) {}

  execute({ operatorId, metadata, expected }: Asked): Promise<LifecycleChange> {
    return decideLifecycle(this.log, this.ids, this.store, {
      stream: streams.operator(operatorId),
      initial: noOperator,
      evolve: evolveOperator,
      decide: (operator) => this.decide(operator, { operatorId, at: this.clock.now(), ...expected }),
      metadata,
    });
  }
}

@CommandHandler(SuspendOperator)
export class SuspendOperatorHandler
  extends OperatorChangeHandler<SuspendOperator>
  implements ICommandHandler<SuspendOperator>
{
  protected readonly decide = suspendOperator;
}

@CommandHandler(ReinstateOperator)
export class ReinstateOperatorHandler
  extends OperatorChangeHandler<ReinstateOperator>
  implements ICommandHandler<ReinstateOperator>
{
  protected readonly decide = reinstateOperator;
}

@CommandHandler(ChangeOperatorRoles)
export class ChangeOperatorRolesHandler
  extends OperatorChangeHandler<ChangeOperatorRoles>
  implements ICommandHandler<ChangeOperatorRoles>
{
  protected readonly decide = changeRoles;
}

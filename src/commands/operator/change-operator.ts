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
import { Refusal } from '../../domain/refusal.js';
import type { Decision } from '../../domain/refusal.js';
import { EventLog } from '../../log/event-log.js';
import type { EventMetadata, Recorded } from '../../log/recorded.js';
import { streams } from '../../log/streams.js';
import { AuthorityStore } from '../../base/store/authority/authority-store.js';
import { Clock } from '../../base/support/clock.js';
import { IdGenerator } from '../../base/support/id-generator.js';
import { decideLifecycle } from '../support/decide-lifecycle.js';
import type { LifecycleChange } from '../support/write-side.js';
import { OperatorNames } from './operator-names.js';

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

/**
 * Tokens that were neither revoked nor expired meanwhile are valid again.
 * @throws {Refusal} `intent_conflict`: another operator has the name meanwhile.
 */
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

  execute(asked: Asked): Promise<LifecycleChange> {
    const { operatorId, metadata, expected } = asked;
    return decideLifecycle(this.log, this.ids, this.store, {
      stream: streams.operator(operatorId),
      read: (log, stream) => this.read(log, stream, asked),
      initial: noOperator,
      evolve: evolveOperator,
      decide: (operator) => this.decide(operator, { operatorId, at: this.clock.now(), ...expected }),
      metadata,
    });
  }

  /** Reads the whole stream, before each attempt. */
  protected read(log: EventLog, stream: string, _asked: Asked): Promise<readonly Recorded[]> {
    return log.read(stream);
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

  constructor(
    log: EventLog,
    store: AuthorityStore,
    clock: Clock,
    ids: IdGenerator,
    private readonly names: OperatorNames,
  ) {
    super(log, store, clock, ids);
  }

  /** The append expects the revision that the name is reserved for. */
  protected override async read(
    log: EventLog,
    stream: string,
    { operatorId, metadata, expected }: ReinstateOperator,
  ): Promise<readonly Recorded[]> {
    const past = (await log.read(stream)) as readonly Recorded<OperatorEvent>[];
    const operator = past.reduce((older, { event }) => evolveOperator(older, event), noOperator);
    const decision = this.decide(operator, { operatorId, at: this.clock.now(), ...expected });
    const name = past
      .flatMap(({ event }) => (event.type === 'operator.invited' ? event.data.name : []))
      .at(-1);
    if (name && !(decision instanceof Refusal) && decision.length > 0) {
      const revision = Number(past.at(-1)?.revision ?? -1);
      await this.names.reserve(name, { operatorId, revision, mayFinish: false }, metadata);
    }
    return past;
  }
}

@CommandHandler(ChangeOperatorRoles)
export class ChangeOperatorRolesHandler
  extends OperatorChangeHandler<ChangeOperatorRoles>
  implements ICommandHandler<ChangeOperatorRoles>
{
  protected readonly decide = changeRoles;
}

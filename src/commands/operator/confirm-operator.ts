import { Command, CommandHandler } from '@nestjs/cqrs';
import type { ICommandHandler } from '@nestjs/cqrs';
import { confirmOperator, evolveOperator, noOperator } from '../../domain/operator/operator.js';
import { EventLog } from '../../log/event-log.js';
import type { EventMetadata } from '../../log/recorded.js';
import { streams } from '../../log/streams.js';
import { AuthorityStore } from '../../store/authority/authority-store.js';
import { Clock } from '../support/clock.js';
import { IdGenerator } from '../support/id-generator.js';
import { decideAndProject } from '../support/decide-and-project.js';
import type { ChangeResult } from '../support/decide-and-project.js';

/**
 * Confirms an operator whom the limited shared token invited. Idempotent.
 * @throws {Refusal} `not_found`, `not_owner` for one's own invitation; errors of log and store.
 */
export class ConfirmOperator extends Command<ChangeResult> {
  constructor(
    readonly operatorId: string,
    readonly by: string,
    readonly metadata: EventMetadata,
  ) {
    super();
  }
}

@CommandHandler(ConfirmOperator)
export class ConfirmOperatorHandler implements ICommandHandler<ConfirmOperator> {
  constructor(
    private readonly log: EventLog,
    private readonly store: AuthorityStore,
    private readonly clock: Clock,
    private readonly ids: IdGenerator,
  ) {}

  execute({ operatorId, by, metadata }: ConfirmOperator): Promise<ChangeResult> {
    return decideAndProject(this.log, this.ids, this.store, {
      stream: streams.operator(operatorId),
      initial: noOperator,
      evolve: evolveOperator,
      decide: (operator) => confirmOperator(operator, { operatorId, at: this.clock.now(), by }),
      metadata,
    });
  }
}

import { Command, CommandHandler } from '@nestjs/cqrs';
import type { ICommandHandler } from '@nestjs/cqrs';
import { lacksConfirmation } from '../../domain/four-eyes/standing.js';
import { confirmOperator, evolveOperator, noOperator } from '../../domain/operator/operator.js';
import { EventLog } from '../../log/event-log.js';
import type { EventMetadata } from '../../log/recorded.js';
import { isApprovalStream, streams } from '../../log/streams.js';
import { AuthorityStore } from '../../base/store/authority/authority-store.js';
import { Clock } from '../../base/support/clock.js';
import { IdGenerator } from '../../base/support/id-generator.js';
import { decideAndProject } from '../support/decide-and-project.js';
import type { ChangeResult } from '../support/write-side.js';
import { originIn } from './origin.js';

/**
 * Confirms an operator who joined without a second person. Idempotent. `since`: when four-eyes was turned on, `Infinity` while
 * it is off.
 * @throws {Refusal} `not_found`, `not_owner` for one's own invitation; errors of log and store.
 */
export class ConfirmOperator extends Command<ChangeResult> {
  constructor(
    readonly operatorId: string,
    readonly confirmation: { readonly by: string; readonly since: number },
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

  execute({ operatorId, confirmation: { by, since }, metadata }: ConfirmOperator): Promise<ChangeResult> {
    return decideAndProject(this.log, this.ids, this.store, {
      stream: streams.operator(operatorId),
      initial: noOperator,
      evolve: evolveOperator,
      decide: (operator, past) =>
        confirmOperator(operator, {
          operatorId,
          at: this.clock.now(),
          by,
          isLacking: lacksConfirmation(originIn(past), since, isApprovalStream(metadata.cause ?? '')),
        }),
      metadata,
    });
  }
}

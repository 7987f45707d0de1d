import { Command, CommandHandler } from '@nestjs/cqrs';
import type { ICommandHandler } from '@nestjs/cqrs';
import { evolveOperator, noOperator, signOutOperator } from '../../domain/operator/operator.js';
import { EventLog } from '../../log/event-log.js';
import type { EventMetadata } from '../../log/recorded.js';
import { streams } from '../../log/streams.js';
import { AuthorityStore } from '../../store/authority/authority-store.js';
import { Clock } from '../support/clock.js';
import { IdGenerator } from '../support/id-generator.js';
import { handleCommand } from '../support/handle-command.js';

/** Number of ended sessions. */
export interface SignedOutOperator {
  readonly sessions: number;
}

/**
 * Ends every session of an operator in the console. Tokens stay valid. Idempotent.
 * @throws {Refusal} `not_found`; errors of log and store: no session has ended then.
 */
export class SignOutOperator extends Command<SignedOutOperator> {
  constructor(
    readonly operatorId: string,
    readonly metadata: EventMetadata,
  ) {
    super();
  }
}

@CommandHandler(SignOutOperator)
export class SignOutOperatorHandler implements ICommandHandler<SignOutOperator> {
  constructor(
    private readonly log: EventLog,
    private readonly store: AuthorityStore,
    private readonly clock: Clock,
    private readonly ids: IdGenerator,
  ) {}

  execute({ operatorId, metadata }: SignOutOperator): Promise<SignedOutOperator> {
    return this.store.transaction(async () => {
      const text = 'DELETE FROM authority.operator_session WHERE operator_id = $1';
      const sessions = (await this.store.query({ text, values: [operatorId] })).rowCount ?? 0;
      await handleCommand(this.log, this.ids, {
        stream: streams.operator(operatorId),
        initial: noOperator,
        evolve: evolveOperator,
        decide: (operator) => signOutOperator(operator, { operatorId, at: this.clock.now(), sessions }),
        metadata,
      });
      return { sessions };
    });
  }
}

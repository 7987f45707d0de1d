import { Command, CommandHandler } from '@nestjs/cqrs';
import type { ICommandHandler } from '@nestjs/cqrs';
import type { AccountSignedIn } from '../../domain/account/events.js';
import { EventLog } from '../../log/event-log.js';
import type { EventMetadata } from '../../log/recorded.js';
import { streams } from '../../log/streams.js';
import { Clock } from '../../base/support/clock.js';
import { IdGenerator } from '../../base/support/id-generator.js';
import { handleCommand, newestEventOf } from '../support/handle-command.js';

/**
 * Records that a person signed in, in a stream of its own: other commands read all of `account-<id>`.
 * @throws errors of the log
 */
export class RecordSignIn extends Command<void> {
  constructor(
    readonly actorId: string,
    readonly metadata: EventMetadata,
  ) {
    super();
  }
}

@CommandHandler(RecordSignIn)
export class RecordSignInHandler implements ICommandHandler<RecordSignIn> {
  constructor(
    private readonly log: EventLog,
    private readonly clock: Clock,
    private readonly ids: IdGenerator,
  ) {}

  async execute({ actorId, metadata }: RecordSignIn): Promise<void> {
    await handleCommand<undefined, AccountSignedIn>(this.log, this.ids, {
      stream: streams.signIns(actorId),
      read: newestEventOf,
      initial: undefined,
      evolve: () => undefined,
      decide: () => [{ type: 'account.signed_in', data: { actorId, at: this.clock.now() } }],
      metadata,
    });
  }
}

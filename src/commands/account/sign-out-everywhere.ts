import { Command, CommandHandler } from '@nestjs/cqrs';
import type { ICommandHandler } from '@nestjs/cqrs';
import { evolveAccount, noAccount, signOutEverywhere } from '../../domain/account/account.js';
import { EventLog } from '../../log/event-log.js';
import type { EventMetadata } from '../../log/recorded.js';
import { streams } from '../../log/streams.js';
import { AuthorityStore } from '../../base/store/authority/authority-store.js';
import { Clock } from '../../base/support/clock.js';
import { IdGenerator } from '../../base/support/id-generator.js';
import { handleCommand } from '../support/handle-command.js';
import { endSessions } from './end-sessions.js';

/**
 * Ends every browser session of a person. Grants stay valid. Idempotent.
 * @throws {Refusal} `not_found`; errors of log and store: no session has ended then.
 */
export class SignOutEverywhere extends Command<void> {
  constructor(
    readonly actorId: string,
    readonly metadata: EventMetadata,
  ) {
    super();
  }
}

@CommandHandler(SignOutEverywhere)
export class SignOutEverywhereHandler implements ICommandHandler<SignOutEverywhere> {
  constructor(
    private readonly log: EventLog,
    private readonly store: AuthorityStore,
    private readonly clock: Clock,
    private readonly ids: IdGenerator,
  ) {}

  async execute({ actorId, metadata }: SignOutEverywhere): Promise<void> {
    await this.store.transaction(async () => {
      const sessions = await endSessions(this.store, actorId);
      await handleCommand(this.log, this.ids, {
        stream: streams.account(actorId),
        initial: noAccount,
        evolve: evolveAccount,
        decide: (account) => signOutEverywhere(account, { actorId, at: this.clock.now(), sessions }),
        metadata,
      });
    });
  }
}

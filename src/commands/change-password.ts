import { Command, CommandHandler } from '@nestjs/cqrs';
import type { ICommandHandler } from '@nestjs/cqrs';
import { changePassword, evolveAccount, noAccount } from '../domain/account/account.js';
import { EventLog } from '../log/event-log.js';
import type { EventMetadata } from '../log/recorded.js';
import { streams } from '../log/streams.js';
import { AuthorityStore } from '../store/authority/authority-store.js';
import { CredentialRow } from '../store/authority/credential.row.js';
import { Clock, Ids } from './ambient.js';
import { decideOn } from './decide-on.js';
import { endSessions } from './end-sessions.js';

/** Another password, and an end to every browser session but `exceptSession`. Grants are left alone. */
export class ChangePassword extends Command<void> {
  /**
   * @param passwordHash PHC string. The password itself rides on no bus.
   * @param exceptSession SHA-256 of the session's value: the browser that the change was made in stays signed in.
   */
  constructor(
    readonly actorId: string,
    readonly passwordHash: string,
    readonly exceptSession: Buffer | undefined,
    readonly metadata: EventMetadata,
  ) {
    super();
  }
}

@CommandHandler(ChangePassword)
export class ChangePasswordHandler implements ICommandHandler<ChangePassword> {
  constructor(
    private readonly log: EventLog,
    private readonly store: AuthorityStore,
    private readonly clock: Clock,
    private readonly ids: Ids,
  ) {}

  /** @throws {Refusal} `not_found`; what log and store throw: then the old password is good, and no session has ended. */
  async execute({ actorId, passwordHash, exceptSession, metadata }: ChangePassword): Promise<void> {
    await this.store.transaction(async () => {
      await this.store.db.upsert(CredentialRow, { actorId, passwordHash }, ['actorId']);
      await endSessions(this.store, actorId, exceptSession);
      // Last, so that what is in the log is done unless the very commit fails.
      await decideOn(this.log, this.ids, {
        stream: streams.account(actorId),
        initial: noAccount,
        evolve: evolveAccount,
        decide: (account) => changePassword(account, { actorId, at: this.clock.now() }),
        metadata,
      });
    });
  }
}

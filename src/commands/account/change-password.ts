import { Command, CommandHandler } from '@nestjs/cqrs';
import type { ICommandHandler } from '@nestjs/cqrs';
import { changePassword, evolveAccount, noAccount } from '../../domain/account/account.js';
import { EventLog } from '../../log/event-log.js';
import type { EventMetadata } from '../../log/recorded.js';
import { streams } from '../../log/streams.js';
import { AuthorityStore } from '../../base/store/authority/authority-store.js';
import { lockCredential } from '../../base/store/authority/credential-lock.js';
import { CredentialRow } from '../../base/store/authority/credential.row.js';
import { Clock } from '../../base/support/clock.js';
import { IdGenerator } from '../../base/support/id-generator.js';
import { handleCommand } from '../support/handle-command.js';
import { endSessions } from './end-sessions.js';

export interface PasswordChanged {
  readonly changed: boolean;
}

/**
 * Sets a new password and ends every browser session. Grants of applications stay valid. Changes nothing, and returns
 * so, if `current` no longer is the stored hash.
 * @throws errors of log and store: the old password stays valid and no session has ended.
 */
export class ChangePassword extends Command<PasswordChanged> {
  /**
   * @param current stored hash (PHC string) that the old password was verified against: of two concurrent changes, the
   * first wins.
   * @param passwordHash PHC string. The plain password is never part of a command.
   */
  constructor(
    readonly actorId: string,
    readonly current: string,
    readonly passwordHash: string,
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
    private readonly ids: IdGenerator,
  ) {}

  async execute(change: ChangePassword): Promise<PasswordChanged> {
    const { actorId, current, passwordHash, metadata } = change;
    return this.store.transaction(async () => {
      if ((await lockCredential(this.store, actorId)) !== current) return { changed: false };
      await this.store.db.update(CredentialRow, { actorId }, { passwordHash });
      await endSessions(this.store, actorId);
      // Last, so that an appended event implies the rows, unless the commit itself fails.
      await handleCommand(this.log, this.ids, {
        stream: streams.account(actorId),
        initial: noAccount,
        evolve: evolveAccount,
        decide: (account) => changePassword(account, { actorId, at: this.clock.now() }),
        metadata,
      });
      return { changed: true };
    });
  }
}

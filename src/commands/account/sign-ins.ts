import { Command } from '@nestjs/cqrs';
import { changePassword, signOutEverywhere } from '../../domain/account/account.js';
import type { EventMetadata } from '../../log/recorded.js';
import { streams } from '../../log/streams.js';
import { lockCredential } from '../../base/store/authority/credential-lock.js';
import { CredentialRow } from '../../base/store/authority/credential.row.js';
import { aggregates } from '../support/aggregates.js';
import { newestEventOf } from '../support/handle-command.js';
import { handles } from '../support/handles.js';
import type { ChangeResult } from '../support/write-side.js';
import { endSessions } from './end-sessions.js';

/**
 * Records that a person signed in, in a stream of its own: other commands read all of `account-<id>`. `isFirst`: the
 * account was just made.
 * @throws errors of the log
 */
export class RecordSignIn extends Command<void> {
  constructor(
    readonly actorId: string,
    readonly metadata: EventMetadata,
    readonly isFirst = false,
  ) {
    super();
  }
}

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

/**
 * Sets a new password and ends every browser session. Grants of applications stay valid. Changes nothing, and returns
 * so, if `current` no longer is the stored hash.
 * @throws errors of log and store: the old password stays valid and no session has ended.
 */
export class ChangePassword extends Command<ChangeResult> {
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

export const signInHandlers = [
  handles(RecordSignIn, async ({ actorId, metadata, isFirst }, write) => {
    const signIns = { stream: streams.signIns(actorId), read: newestEventOf, isProbablyNew: isFirst };
    await write.record(signIns, metadata, () => [
      { type: 'account.signed_in', data: { actorId, at: write.now() } },
    ]);
  }),

  handles(SignOutEverywhere, ({ actorId, metadata }, write) =>
    write.store.transaction(async () => {
      const sessions = await endSessions(write.store, actorId);
      await write.change(aggregates.account(actorId), metadata, (account) =>
        signOutEverywhere(account, { actorId, at: write.now(), sessions }),
      );
    }),
  ),

  handles(ChangePassword, ({ actorId, current, passwordHash, metadata }, write) =>
    write.store.transaction(async () => {
      if ((await lockCredential(write.store, actorId)) !== current) return { changed: false };
      await write.store.db.update(CredentialRow, { actorId }, { passwordHash });
      await endSessions(write.store, actorId);
      // Last, so that an appended event implies the rows, unless the commit itself fails.
      await write.change(aggregates.account(actorId), metadata, (account) =>
        changePassword(account, { actorId, at: write.now() }),
      );
      return { changed: true };
    }),
  ),
];

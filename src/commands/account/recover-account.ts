import { Command } from '@nestjs/cqrs';
import type { EventMetadata } from '../../log/recorded.js';
import { streams } from '../../log/streams.js';
import { lockCredential } from '../../base/store/authority/credential-lock.js';
import { CredentialRow } from '../../base/store/authority/credential.row.js';
import { MailRequests } from '../mail/mail-requests.js';
import { newestEventOf } from '../support/handle-command.js';
import { handles } from '../support/handles.js';
import type { WriteSide } from '../support/write-side.js';
import type { AddressHolder } from './addresses.js';
import { endSessions } from './end-sessions.js';
import { RecoveryLinks } from './recovery-links.js';

export interface RecoveredAccount {
  readonly actorId: string;
  /** False: the account is suspended. */
  readonly mayAct: boolean;
}

/**
 * Sets a new password by a link of a mail, and ends every browser session. Grants of applications stay valid. Every address
 * that opens the account is told, and those given up lately. Changes nothing, and returns undefined, if the link has ended:
 * of two uses at the same time, one wins.
 * @throws errors of log and store: the old password stays valid, and so does the link.
 */
export class RecoverAccount extends Command<RecoveredAccount | undefined> {
  /** @param passwordHash PHC string. */
  constructor(
    readonly token: string,
    readonly passwordHash: string,
    readonly metadata: EventMetadata,
  ) {
    super();
  }
}

export const recoverAccountHandler = handles(
  RecoverAccount,
  { links: RecoveryLinks, mails: MailRequests },
  async ({ token, passwordHash, metadata }, write, { links, mails }) =>
    write.store.transaction(async () => {
      const named = await links.holderOf(token);
      if (!named) return undefined;
      const { actorId } = named;
      await lockCredential(write.store, actorId);
      const holder = await links.holderOf(token);
      if (!holder) return undefined;
      await write.store.db.update(CredentialRow, { actorId }, { passwordHash });
      await endSessions(write.store, actorId);
      await write.store.db.query('DELETE FROM authority.recovery_link WHERE actor_id = $1', [actorId]);
      for (const address of await addressesToNotify(write, holder))
        await mails.add({ kind: 'recovered', actorId, address });
      // Last, so that an appended event implies the rows, unless the commit itself fails.
      const stream = { stream: streams.access(actorId), read: newestEventOf };
      await write.record(stream, { ...metadata, actorId }, () => [
        { type: 'account.recovered', data: { actorId, at: write.now() } },
      ]);
      return { actorId, mayAct: holder.state === 'active' };
    }),
);

const GIVEN_UP_MS = 7 * 24 * 60 * 60_000;
/** More events than the limits of mails allow in that time. */
const MAX_EVENTS = 1_000;

/**
 * The address of the account, and the verified ones that it gave up in the last seven days: who took the account over by
 * another address cannot keep its person from learning of it.
 */
async function addressesToNotify(write: WriteSide, { actorId, email }: AddressHolder): Promise<Set<string>> {
  const past = await write.log.read(streams.access(actorId), { direction: 'backwards', limit: MAX_EVENTS });
  const since = write.now() - GIVEN_UP_MS;
  const givenUp = past.flatMap(({ event, erased }) =>
    event.type === 'account.address_changed' && event.data.wasVerified && event.data.at > since && !erased
      ? [event.data.previous]
      : [],
  );
  return new Set([email, ...givenUp]);
}

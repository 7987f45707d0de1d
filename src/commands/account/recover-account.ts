import { Command } from '@nestjs/cqrs';
import type { Factors } from '../../domain/account/factors.js';
import { useLink } from '../../domain/account/recovery-link.js';
import type { EventMetadata } from '../../log/recorded.js';
import { streams } from '../../log/streams.js';
import { lockCredential } from '../../base/store/authority/credential-lock.js';
import { CredentialRow } from '../../base/store/authority/credential.row.js';
import { MailRequests } from '../mail/mail-requests.js';
import { aggregates } from '../support/aggregates.js';
import { newestEventOf } from '../support/handle-command.js';
import { handles } from '../support/handles.js';
import type { WriteSide } from '../support/write-side.js';
import { addressesToNotify } from './addresses-to-notify.js';
import { endSessions } from './end-sessions.js';
import { RecoveryLinks } from './recovery-links.js';
import type { RecoveryLink } from './recovery-links.js';

export interface RecoveredAccount {
  readonly actorId: string;
  /** False: the account is suspended. */
  readonly mayAct: boolean;
  /** Recovery leaves them as they are. */
  readonly factors: Factors;
}

/**
 * Sets a new password by a link, of a mail or of operators, and ends every browser session. Grants of applications stay valid. Every address
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
      const named = await links.find(token);
      if (!named) return undefined;
      const { actorId } = named.holder;
      await lockCredential(write.store, actorId);
      const link = await links.find(token);
      if (!link || link.worksFrom > write.now()) return undefined;
      const { holder, linkId } = link;
      await write.store.db.update(CredentialRow, { actorId }, { passwordHash });
      await endSessions(write.store, actorId);
      await write.store.db.query('DELETE FROM authority.recovery_link WHERE actor_id = $1', [actorId]);
      for (const address of await addressesToNotify(write, holder))
        await mails.add({ kind: 'recovered', actorId, address, by: linkId === null ? 'mail' : 'operators' });
      // Last, so that an appended event implies the rows, unless the commit itself fails.
      await recordUse(write, link, { ...metadata, actorId });
      const { factors } = await write.store.db.findOneByOrFail(CredentialRow, { actorId });
      return { actorId, mayAct: holder.state === 'active', factors };
    }),
);

async function recordUse(
  write: WriteSide,
  { holder: { actorId }, linkId }: RecoveryLink,
  metadata: EventMetadata,
): Promise<void> {
  if (linkId !== null) {
    await write.change(aggregates.recoveryLinks(actorId), metadata, (made) =>
      useLink(made, { actorId, linkId, at: write.now() }),
    );
    return;
  }
  const stream = { stream: streams.access(actorId), read: newestEventOf };
  await write.record(stream, metadata, () => [
    { type: 'account.recovered', data: { actorId, at: write.now() } },
  ]);
}

import { Command } from '@nestjs/cqrs';
import { changeFactors } from '../../domain/account/factors.js';
import type { FactorsChange } from '../../domain/account/factors.js';
import { Refusal } from '../../domain/refusal.js';
import type { EventMetadata } from '../../log/recorded.js';
import { streams } from '../../log/streams.js';
import { lockCredential } from '../../base/store/authority/credential-lock.js';
import { CredentialRow } from '../../base/store/authority/credential.row.js';
import { MailRequests } from '../mail/mail-requests.js';
import { newestEventOf } from '../support/handle-command.js';
import { handles } from '../support/handles.js';
import { Addresses } from './addresses.js';
import { endSessions } from './end-sessions.js';
import { addressesToNotify } from './addresses-to-notify.js';

/**
 * Changes the passkeys or recovery codes of a person, who is told by mail. The removal of a passkey, a second
 * step and new codes end every browser session: one may be on the device that was lost, or without the second step. Grants of applications stay valid. Not idempotent.
 * @throws {Refusal} of {@link changeFactors}; `not_found`: no such account; errors of log and store: nothing has changed.
 */
export class ChangeFactors extends Command<void> {
  constructor(
    readonly actorId: string,
    readonly change: FactorsChange,
    readonly metadata: EventMetadata,
  ) {
    super();
  }
}

export const changeFactorsHandler = handles(
  ChangeFactors,
  { addresses: Addresses, mails: MailRequests },
  async ({ actorId, change, metadata }, write, { addresses, mails }) =>
    write.store.transaction(async () => {
      const { kind } = change;
      await lockCredential(write.store, actorId);
      const credential = await write.store.db.findOneBy(CredentialRow, { actorId });
      const holder = await addresses.holder(actorId);
      if (!credential || !holder) throw new Refusal('not_found', 'There is no such account.');
      const factors = changeFactors(credential.factors, change, write.now());
      if (factors instanceof Refusal) throw factors;
      await write.store.db.update(CredentialRow, { actorId }, { factors });
      if (kind === 'passkey_removed' || kind === 'second_step_required')
        await endSessions(write.store, actorId);
      for (const address of await addressesToNotify(write, holder))
        await mails.add({ kind, actorId, address });
      // Last, so that an appended event implies the rows, unless the commit itself fails.
      const stream = { stream: streams.factors(actorId), read: newestEventOf };
      await write.record(stream, metadata, () => [
        { type: `account.${kind}` as const, data: { actorId, at: write.now() } },
      ]);
    }),
);

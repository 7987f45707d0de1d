import { Command } from '@nestjs/cqrs';
import { endLink, linkTimes, makeLink } from '../../domain/account/recovery-link.js';
import { Refusal } from '../../domain/refusal.js';
import type { EventMetadata } from '../../log/recorded.js';
import { lockCredential } from '../../base/store/authority/credential-lock.js';
import { MailRequests } from '../mail/mail-requests.js';
import { aggregates } from '../support/aggregates.js';
import { handles } from '../support/handles.js';
import type { ChangeResult, WriteSide } from '../support/write-side.js';
import { Addresses } from './addresses.js';
import { OperatorLinks } from './operator-links.js';
import { RecoveryLinks } from './recovery-links.js';
import { addressesToNotify } from './addresses-to-notify.js';

/** `token`: shown once. `told`: addresses that get a mail. Times are Unix milliseconds. */
export interface MadeRecoveryLink {
  readonly linkId: string;
  readonly token: string;
  readonly worksFrom: number;
  readonly worksUntil: number;
  readonly told: number;
}

/**
 * Makes a link that lets a person set a new password, a day later and for a day. Every verified address is told. Not
 * idempotent.
 * @throws {Refusal} `not_found`: no such account, or one without a password. `intent_conflict`: another link works, or will. Errors of
 * log and store: there is no link.
 */
export class MakeRecoveryLink extends Command<MadeRecoveryLink> {
  constructor(
    readonly actorId: string,
    readonly metadata: EventMetadata,
  ) {
    super();
  }
}

/** Ends the open link of a person. `linkId` undefined: whichever it is. Idempotent. @throws errors of log and store */
export class EndRecoveryLink extends Command<ChangeResult> {
  constructor(
    readonly actorId: string,
    readonly metadata: EventMetadata,
    readonly linkId?: string,
  ) {
    super();
  }
}

const deleteRows = (write: WriteSide, actorId: string, linkId?: string) =>
  write.store.db.query(
    `DELETE FROM authority.recovery_link
      WHERE actor_id = $1 AND link_id IS NOT NULL AND ($2::text IS NULL OR link_id = $2)`,
    [actorId, linkId ?? null],
  );

export const recoveryLinkHandlers = [
  handles(
    MakeRecoveryLink,
    { addresses: Addresses, links: RecoveryLinks, operatorLinks: OperatorLinks, mails: MailRequests },
    async ({ actorId, metadata }, write, { addresses, links, operatorLinks, mails }) =>
      write.store.transaction(async (): Promise<MadeRecoveryLink> => {
        await lockCredential(write.store, actorId);
        const holder = await addresses.holder(actorId);
        if (!holder) throw new Refusal('not_found', 'There is no such account, or it has no password.');
        const works = await operatorLinks.openOf(actorId);
        await deleteRows(write, actorId);
        const [linkId, at] = [write.ids.random(), write.now()];
        const times = linkTimes(at);
        const token = await links.makeLater(holder, { linkId, ...times });
        const told = await addressesToNotify(write, holder);
        for (const address of told)
          await mails.add({ kind: 'recovery_link_made', actorId, address, linkId, ...times });
        // Last, so that an appended event implies the rows, unless the commit itself fails.
        await write.change(aggregates.recoveryLinks(actorId), metadata, (made) =>
          makeLink(made, { actorId, linkId, at }, works?.linkId),
        );
        return { linkId, token, ...times, told: told.size };
      }),
  ),

  handles(EndRecoveryLink, ({ actorId, linkId, metadata }, write) =>
    write.store.transaction(async () => {
      // So that of an end and a use at the same time, one wins.
      await lockCredential(write.store, actorId);
      await deleteRows(write, actorId, linkId);
      const { added } = await write.change(aggregates.recoveryLinks(actorId), metadata, (made) =>
        endLink(made, { actorId, linkId, at: write.now() }),
      );
      return { changed: added.length > 0 };
    }),
  ),
];

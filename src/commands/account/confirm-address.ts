import { Command } from '@nestjs/cqrs';
import { projectInline } from '../../../projections/authority/authority.projection.js';
import type { AccountAddressChanged, AccountAddressVerified } from '../../domain/account/events.js';
import type { EventMetadata } from '../../log/recorded.js';
import { streams } from '../../log/streams.js';
import { passwordFingerprint } from '../../base/store/authority/credential-hash.js';
import { lockCredential } from '../../base/store/authority/credential-lock.js';
import { CredentialRow } from '../../base/store/authority/credential.row.js';
import { MailRequests } from '../mail/mail-requests.js';
import { newestEventOf } from '../support/handle-command.js';
import { handles } from '../support/handles.js';
import type { AddressLink } from './address-links.js';
import { Addresses } from './addresses.js';

/** `ended`: address or password of the account changed since the link was made. `taken`: it is another account's. */
export type Confirmation = 'confirmed' | 'ended' | 'taken';

/**
 * Verifies an address, which thereby becomes the account's. A verified address that it replaces is told. Repeating it
 * changes nothing.
 * @throws errors of log and store: nothing has changed.
 */
export class ConfirmAddress extends Command<Confirmation> {
  constructor(
    readonly link: AddressLink,
    readonly metadata: EventMetadata,
  ) {
    super();
  }
}

export const confirmAddressHandler = handles(
  ConfirmAddress,
  { addresses: Addresses, mails: MailRequests },
  async ({ link: { actorId, address, from, password }, metadata }, write, { addresses, mails }) =>
    write.store.transaction(async (): Promise<Confirmation> => {
      const { store } = write;
      const proof = await addresses.proofOf(address);
      // The later of two that confirm one address finds it taken. Before the credential, which the other one may change.
      await store.db.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [proof]);
      await lockCredential(store, actorId);
      const holder = await addresses.holder(actorId);
      if (holder?.state !== 'active' || proof === undefined) return 'ended';
      if (holder.isVerified && holder.email === address) return 'confirmed';
      if (holder.email !== from || passwordFingerprint(holder.passwordHash) !== password) return 'ended';
      const owner = await addresses.ownerOf(proof);
      if (owner && owner.actorId !== actorId) return 'taken';
      // A proof that does not count any more, after a rebuild of the authority store or with an older log, yields.
      await store.db.update(CredentialRow, { addressProof: proof }, { addressProof: null });
      await store.db.update(CredentialRow, { actorId }, { addressProof: proof });
      // A change back does not revive them. One of operators stays: a thief who changes the address must not end it unseen.
      await store.db.query('DELETE FROM authority.recovery_link WHERE actor_id = $1 AND link_id IS NULL', [
        actorId,
      ]);
      if (holder.isVerified && holder.proof !== proof)
        await mails.add({ kind: 'address_changed', actorId, address: holder.email });
      const event = (): AccountAddressVerified | AccountAddressChanged => {
        const data = { actorId, at: write.now() };
        const change = { ...data, address, previous: holder.email, wasVerified: holder.isVerified };
        return holder.email === address
          ? { type: 'account.address_verified', data }
          : { type: 'account.address_changed', data: change };
      };
      // Last, so that an appended event implies the rows, unless the commit itself fails.
      const stream = { stream: streams.access(actorId), read: newestEventOf };
      const added = await write.record(stream, metadata, () => [event()]);
      await projectInline(added, store.db);
      return 'confirmed';
    }),
);

import { z } from 'zod';
import { event, id, inData, omitted, personal, pseudonym, time } from '../event.js';
import type { EventIn } from '../event.js';

const account = { actorId: pseudonym(id) };
const ofAccount = event(account);
const ofLink = event({ ...account, linkId: omitted(id) });

export const accountEvents = {
  'account.registered': event(
    {
      ...account,
      handle: personal(z.string(), ''),
      displayName: personal(z.string(), ''),
      email: personal(z.string(), ''),
    },
    { person: 'actorId' },
  ),
  'account.suspended': ofAccount,
  'account.reinstated': ofAccount,
  /**
   * The account will be erased at `erasesAt` (Unix ms), unless {@link AccountErasureCancelled} comes first. The metadata
   * names the person or operator who requested it.
   */
  'account.erasure_requested': event({ ...account, erasesAt: inData(time) }),
  'account.erasure_cancelled': ofAccount,
  /**
   * Final. Holds nothing personal, since no key protects this event. `handleDigest`: names the stream of the held handle,
   * to release it once no one can read the handle. `keyId`: the destroyed key. A restored vault that is older than the
   * key does not have it, and records it as destroyed. Absent: unknown.
   */
  'account.erased': event({
    ...account,
    handleDigest: omitted(id.optional()),
    keyId: omitted(id.optional()),
  }),
  /** The event does not hold the password, not even as a hash: events cannot be deleted. */
  'account.password_changed': ofAccount,
  /** A right password was accepted for a session of a browser. In a stream of its own, which no command reads. */
  'account.signed_in': ofAccount,
  'account.signed_out': ofAccount,
  /**
   * The person confirmed, by a link in a mail, that the address of the account is theirs. This event and the next two are
   * in a stream of its own, since the release before reads `account-<actorId>` whole.
   */
  'account.address_verified': ofAccount,
  /** The account has another address, which its person confirmed. `wasVerified`: the person had confirmed `previous`. */
  'account.address_changed': event(
    {
      ...account,
      address: personal(z.string(), ''),
      previous: personal(z.string(), ''),
      wasVerified: omitted(z.boolean()),
    },
    { person: 'actorId' },
  ),
  /** A link in a mail set a new password. */
  'account.recovered': ofAccount,
  /** Passkeys and recovery codes are beside the password. Their events, in a stream of their own, hold nothing of them. */
  'account.passkey_added': ofAccount,
  'account.passkey_removed': ofAccount,
  /** From now on a sign-in by password needs a passkey or a recovery code, too. Also: there are new codes. */
  'account.second_step_required': ofAccount,
  'account.second_step_lifted': ofAccount,
  'account.recovery_code_used': ofAccount,
  /**
   * Operators made a link that sets a new password. The next three types are in a stream of their own, which their rules read
   * whole. No event has the link.
   */
  'account.recovery_link_made': event({
    ...account,
    linkId: omitted(id),
    worksFrom: omitted(time),
    worksUntil: omitted(time),
  }),
  /** The person or an operator, as the metadata says, ended the link before its use. */
  'account.recovery_link_ended': ofLink,
  'account.recovery_link_used': ofLink,
  /** An operator is about to be sent what the network has of the person, up to this event. In a stream of its own. */
  'account.data_disclosed': event({ ...account, exportId: omitted(id) }),
  /**
   * The stream is named by the keyed digest of the handle, so that of concurrent claims of it one is appended.
   * `profileRevision`: the revision of the claimer's profile that gets the handle; absent: 1, the registration.
   */
  'handle.claimed': event({ ...account, profileRevision: inData(z.int().positive().optional()) }),
  'handle.released': ofAccount,
};

export type AccountRegistered = EventIn<typeof accountEvents, 'account.registered'>;
export type AccountSuspended = EventIn<typeof accountEvents, 'account.suspended'>;
export type AccountReinstated = EventIn<typeof accountEvents, 'account.reinstated'>;
export type AccountErasureRequested = EventIn<typeof accountEvents, 'account.erasure_requested'>;
export type AccountErasureCancelled = EventIn<typeof accountEvents, 'account.erasure_cancelled'>;
export type AccountErased = EventIn<typeof accountEvents, 'account.erased'>;
export type AccountPasswordChanged = EventIn<typeof accountEvents, 'account.password_changed'>;
export type AccountSignedOut = EventIn<typeof accountEvents, 'account.signed_out'>;
export type AccountAddressVerified = EventIn<typeof accountEvents, 'account.address_verified'>;
export type AccountAddressChanged = EventIn<typeof accountEvents, 'account.address_changed'>;
export type RecoveryLinkMade = EventIn<typeof accountEvents, 'account.recovery_link_made'>;
export type RecoveryLinkEnded = EventIn<typeof accountEvents, 'account.recovery_link_ended'>;
export type RecoveryLinkUsed = EventIn<typeof accountEvents, 'account.recovery_link_used'>;
export type AccountDataDisclosed = EventIn<typeof accountEvents, 'account.data_disclosed'>;
export type HandleClaimed = EventIn<typeof accountEvents, 'handle.claimed'>;
export type HandleReleased = EventIn<typeof accountEvents, 'handle.released'>;

import type { DomainEvent, Occurrence } from '../event.js';

/** Handle, display name and e-mail are personal: the log seals them under the person's key. */
export type AccountRegistered = DomainEvent<
  'account.registered',
  {
    readonly actorId: string;
    readonly handle: string;
    readonly displayName: string;
    readonly email: string;
  } & Occurrence
>;

/** An operator took the account's authority away; who and why is in the event's metadata. */
export type AccountSuspended = DomainEvent<'account.suspended', { readonly actorId: string } & Occurrence>;

export type AccountReinstated = DomainEvent<'account.reinstated', { readonly actorId: string } & Occurrence>;

/**
 * The account is to be erased once that time (Unix ms) has come, unless {@link AccountErasureCancelled} comes before. Who
 * asked for it, the person or an operator, is in the event's metadata.
 */
export type AccountErasureRequested = DomainEvent<
  'account.erasure_requested',
  { readonly actorId: string; readonly erasesAt: number } & Occurrence
>;

export type AccountErasureCancelled = DomainEvent<
  'account.erasure_cancelled',
  { readonly actorId: string } & Occurrence
>;

/**
 * For good. Nothing personal is in it, since it is kept where nobody's key is. `handleDigest`: names the stream of the
 * handle that the person held, so that it can be released when nobody can read it any more. `keyId`: of the key that is
 * destroyed, for a vault that was restored from a time when it had none. Absent: not known.
 */
export type AccountErased = DomainEvent<
  'account.erased',
  {
    readonly actorId: string;
    readonly handleDigest?: string | undefined;
    readonly keyId?: string | undefined;
  } & Occurrence
>;

/** The password itself is in no log, not even as a hash: that can be forgotten. */
export type AccountPasswordChanged = DomainEvent<
  'account.password_changed',
  { readonly actorId: string } & Occurrence
>;

/** In every browser. What applications were granted goes on. */
export type AccountSignedOut = DomainEvent<'account.signed_out', { readonly actorId: string } & Occurrence>;

/**
 * In the stream of that one handle, whose name is a keyed digest: who holds it. Two claims of a handle meet there.
 * `profileRevision`: of the claimer's profile, which is to have the handle; absent: 1, that of the registration.
 */
export type HandleClaimed = DomainEvent<
  'handle.claimed',
  { readonly actorId: string; readonly profileRevision?: number | undefined } & Occurrence
>;

/** The holder has given it up, or did not get to use it. */
export type HandleReleased = DomainEvent<'handle.released', { readonly actorId: string } & Occurrence>;

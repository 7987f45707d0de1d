import type { DomainEvent, EventTime } from '../event.js';

/** Handle, display name and e-mail are personal: the log encrypts them under the key of the person. */
export type AccountRegistered = DomainEvent<
  'account.registered',
  {
    readonly actorId: string;
    readonly handle: string;
    readonly displayName: string;
    readonly email: string;
  } & EventTime
>;

export type AccountSuspended = DomainEvent<'account.suspended', { readonly actorId: string } & EventTime>;

export type AccountReinstated = DomainEvent<'account.reinstated', { readonly actorId: string } & EventTime>;

/**
 * The account will be erased at `erasesAt` (Unix ms), unless {@link AccountErasureCancelled} comes first. The metadata
 * names the person or operator who requested it.
 */
export type AccountErasureRequested = DomainEvent<
  'account.erasure_requested',
  { readonly actorId: string; readonly erasesAt: number } & EventTime
>;

export type AccountErasureCancelled = DomainEvent<
  'account.erasure_cancelled',
  { readonly actorId: string } & EventTime
>;

/**
 * Final. Holds nothing personal, since no key protects this event. `handleDigest`: names the stream of the held handle,
 * to release it once no one can read the handle. `keyId`: the destroyed key. A restored vault that is older than the
 * key does not have it, and records it as destroyed. Absent: unknown.
 */
export type AccountErased = DomainEvent<
  'account.erased',
  {
    readonly actorId: string;
    readonly handleDigest?: string | undefined;
    readonly keyId?: string | undefined;
  } & EventTime
>;

/** The event does not hold the password, not even as a hash: events cannot be deleted. */
export type AccountPasswordChanged = DomainEvent<
  'account.password_changed',
  { readonly actorId: string } & EventTime
>;

/** A right password was accepted for a session of a browser. In a stream of its own, which no command reads. */
export type AccountSignedIn = DomainEvent<'account.signed_in', { readonly actorId: string } & EventTime>;

export type AccountSignedOut = DomainEvent<'account.signed_out', { readonly actorId: string } & EventTime>;

/**
 * The stream is named by the keyed digest of the handle, so that of concurrent claims of it one is appended.
 * `profileRevision`: the revision of the claimer's profile that gets the handle; absent: 1, the registration.
 */
export type HandleClaimed = DomainEvent<
  'handle.claimed',
  { readonly actorId: string; readonly profileRevision?: number | undefined } & EventTime
>;

export type HandleReleased = DomainEvent<'handle.released', { readonly actorId: string } & EventTime>;

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

/** In the stream of that one handle, whose name is a keyed digest: who holds it. Two claims of a handle meet there. */
export type HandleClaimed = DomainEvent<'handle.claimed', { readonly actorId: string } & Occurrence>;

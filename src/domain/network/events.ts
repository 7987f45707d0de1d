import type { DomainEvent, Occurrence } from '../event.js';

/** The first fact of a log: which network it is the log of. */
export type NetworkFounded = DomainEvent<'network.founded', { readonly networkId: string } & Occurrence>;

/** A new key is published, and signs ID tokens from `signsFrom` (Unix ms) on. The key itself is in the vault. */
export type SigningKeyRotated = DomainEvent<
  'network.signing_key_rotated',
  { readonly keyId: string; readonly signsFrom: number } & Occurrence
>;

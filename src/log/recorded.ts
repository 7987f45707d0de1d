import type { StoredEvent } from './registry.js';

/** Kind of network that a request came from. Kept instead of the address, which is personal. */
export type AddressClass = 'loopback' | 'private' | 'public-ipv4' | 'public-ipv6' | 'unknown';

/** Who did it, through what, and why. Kept with each event; nothing personal in it. */
export interface EventMetadata {
  readonly requestId: string;
  readonly addressClass?: AddressClass | undefined;
  readonly actorId?: string | undefined;
  readonly appId?: string | undefined;
  readonly grantId?: string | undefined;
  readonly intentId?: string | undefined;
  /** Keyed digest of the intent's payload: HMAC-SHA-256 under the actor's key, so that it tells nothing once that is gone. */
  readonly payloadHash?: string | undefined;
  /** An operator's act: the name and the reason given. */
  readonly operator?: string | undefined;
  readonly reason?: string | undefined;
  /** Of a restriction: its number in the witness. */
  readonly witnessEpoch?: number | undefined;
}

/** An event as the log has it, in its newest shape and opened. */
export interface Recorded<Event extends StoredEvent = StoredEvent> {
  readonly id: string;
  readonly stream: string;
  readonly revision: bigint;
  readonly position: bigint;
  readonly event: Event;
  readonly metadata: EventMetadata;
  /** The person's key is destroyed: the personal fields hold the registry's placeholders. */
  readonly erased: boolean;
}

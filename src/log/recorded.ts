import type { StoredEvent } from './registry.js';

export type AddressClass = 'loopback' | 'private' | 'public-ipv4' | 'public-ipv6' | 'unknown';

export interface EventMetadata {
  readonly requestId: string;
  /** As the answer carried it in `x-request-id`: of the client, or made for the request. */
  readonly clientRequestId?: string | undefined;
  readonly addressClass?: AddressClass | undefined;
  readonly actorId?: string | undefined;
  readonly appId?: string | undefined;
  readonly grantId?: string | undefined;
  readonly intentId?: string | undefined;
  /** HMAC-SHA-256 under the actor's key, so that erasure also makes the digest useless. */
  readonly payloadHash?: string | undefined;
  /** The operator who acted. */
  readonly operatorId?: string | undefined;
  /** The operator's name, as claimed in the header `x-operator`. */
  readonly operator?: string | undefined;
  readonly reason?: string | undefined;
  readonly witnessEpoch?: number | undefined;
}

export interface Recorded<Event extends StoredEvent = StoredEvent> {
  readonly id: string;
  readonly stream: string;
  readonly revision: bigint;
  readonly position: bigint;
  readonly event: Event;
  readonly metadata: EventMetadata;
  /** True: the person's key is destroyed, and the personal fields hold the registry's placeholders. */
  readonly erased: boolean;
}

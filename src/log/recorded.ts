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
  /**
   * HMAC-SHA-256 of the intent's payload, with the key of the actor: after an erasure, the digest reveals nothing.
   */
  readonly payloadHash?: string | undefined;
  /** The name that an operator claimed, in the header `x-operator`: nothing proves it. */
  readonly operator?: string | undefined;
  /**
   * The acting operator's id, `shared-token`, or `offline` for a restore. Undefined: no operator acted, or an earlier
   * release recorded the event, with a claimed name alone.
   */
  readonly operatorId?: string | undefined;
  /** The account of the operating system that ran `plaza restore`, offline. */
  readonly systemAccount?: string | undefined;
  readonly reason?: string | undefined;
  /** The stream of the batch, case or change of an application that this event is a part of, or of the approval that allowed it. */
  readonly cause?: string | undefined;
  /** The decision of the case whose effect this event is, or lifts. */
  readonly decisionId?: string | undefined;
  readonly witnessEpoch?: number | undefined;
}

export interface Recorded<Event extends StoredEvent = StoredEvent> {
  readonly id: string;
  readonly stream: string;
  readonly revision: bigint;
  readonly position: bigint;
  readonly event: Event;
  readonly metadata: EventMetadata;
  /** True: the key of the person is destroyed, so the personal fields hold the placeholders of the registry. */
  readonly erased: boolean;
}

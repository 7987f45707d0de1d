import { createHash } from 'node:crypto';
import { Refusal } from '../../domain/refusal.js';
import type { AddressClass, EventMetadata, Recorded } from '../../log/recorded.js';

export interface Authority {
  readonly actorId: string;
  readonly appId: string;
  readonly grantId: string;
  readonly requestId: string;
  readonly clientRequestId?: string | undefined;
  readonly addressClass: AddressClass;
}

/**
 * A mutation with the idempotency key that its client chose: the same `intentId` of another application or actor, or
 * for another resource, is another intent.
 */
export interface Intent extends Authority {
  readonly intentId: string;
}

export function metadataOf(intent: Intent, payloadHash: string): EventMetadata {
  const { actorId, appId, grantId, intentId, requestId, clientRequestId, addressClass } = intent;
  return { actorId, appId, grantId, intentId, payloadHash, requestId, clientRequestId, addressClass };
}

/**
 * The id of a resource that an intent creates: SHA-256 over (kind, application, actor, intent), its first 128 bits in
 * base64url.
 */
export function createdId(kind: string, { appId, actorId, intentId }: Intent): string {
  const digest = createHash('sha256')
    .update(JSON.stringify([kind, appId, actorId, intentId]))
    .digest();
  return digest.subarray(0, 16).toString('base64url');
}

export function isOfIntent({ metadata }: Recorded, { intentId, appId, actorId }: Intent): boolean {
  return metadata.intentId === intentId && metadata.appId === appId && metadata.actorId === actorId;
}

/**
 * Returns the event of an earlier request with this intent; undefined if none exists.
 * @throws {Refusal} `intent_conflict`: the earlier request had another payload.
 */
export function earlierOutcome(
  stream: readonly Recorded[],
  intent: Intent,
  payloadHash: string,
): Recorded | undefined {
  const earlier = stream.find((recorded) => isOfIntent(recorded, intent));
  if (earlier && earlier.metadata.payloadHash !== payloadHash)
    throw new Refusal(
      'intent_conflict',
      'This intentId was already used for another payload; use a new one for a new action.',
    );
  return earlier;
}

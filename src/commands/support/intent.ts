import { createHash } from 'node:crypto';
import { Refusal } from '../../domain/refusal.js';
import type { AddressClass, EventMetadata, Recorded } from '../../log/recorded.js';

/** On whose behalf and through what a mutation comes, as the admission found it. */
export interface Authority {
  readonly actorId: string;
  readonly appId: string;
  readonly grantId: string;
  readonly requestId: string;
  readonly addressClass: AddressClass;
}

/** An action that a client names, so that repeating it is safe: scoped to (application, actor, addressed resource). */
export interface Intent extends Authority {
  readonly intentId: string;
}

export function metadataOf(intent: Intent, payloadHash: string): EventMetadata {
  const { actorId, appId, grantId, intentId, requestId, addressClass } = intent;
  return { actorId, appId, grantId, intentId, payloadHash, requestId, addressClass };
}

/** The identity of what an intent creates: SHA-256 over (kind, application, actor, intent), its first 128 bits in base64url. */
export function createdId(kind: string, { appId, actorId, intentId }: Intent): string {
  const digest = createHash('sha256')
    .update(JSON.stringify([kind, appId, actorId, intentId]))
    .digest();
  return digest.subarray(0, 16).toString('base64url');
}

/** Whether an event was appended for that intent, whatever its payload was. */
export function isOfIntent({ metadata }: Recorded, { intentId, appId, actorId }: Intent): boolean {
  return metadata.intentId === intentId && metadata.appId === appId && metadata.actorId === actorId;
}

/**
 * What an earlier request with this intent left in the stream; undefined if none did.
 * @throws {Refusal} `intent_conflict`: it asked for something else.
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

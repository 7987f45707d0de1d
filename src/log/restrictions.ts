import { derivedUuid } from '../base/support/derived-uuid.js';
import type { EventMetadata } from './recorded.js';
import type { EventOf, EventType, StoredEvent } from './registry.js';

/**
 * Types of the events that restrict visibility or authority, or lift a restriction. The witness records each of these
 * events, so that a recovery can restore them (docs/recovery.md).
 */
export const restrictionTypes = [
  'account.suspended',
  'account.reinstated',
  'account.erased',
  'application.suspended',
  'application.reinstated',
  'grant.revoked',
  'post.deleted',
  'post.restricted',
  'post.unrestricted',
  'block.established',
  'block.ended',
  'operator.suspended',
  'operator.reinstated',
  'operator.roles_changed',
  'operator.token_revoked',
  'operator.passkey_removed',
  'network.shared_token_limited',
  'operator.four_eyes_required',
  'operator.four_eyes_lifted',
] as const satisfies readonly EventType[];

export type RestrictionEvent = EventOf<(typeof restrictionTypes)[number]>;

export function isRestriction(event: StoredEvent): event is RestrictionEvent {
  return (restrictionTypes as readonly EventType[]).includes(event.type);
}

/**
 * Returns the subject that a restriction hides from reads until the read models show it
 * (projections/outstanding.sql.ts); undefined: it hides none. A block hides each of two actors from the other.
 * Suspended applications, revoked grants and ends of operators are checked in the authority store, which shows the
 * restriction before it is acknowledged.
 */
export function hiddenBy(event: RestrictionEvent): string | undefined {
  switch (event.type) {
    case 'post.deleted':
    case 'post.restricted':
      return `post:${event.data.postId}`;
    case 'account.suspended':
    case 'account.erased':
      return `actor:${event.data.actorId}`;
    case 'block.established':
      return `pair:${[event.data.actorId, event.data.targetActorId].sort().join('.')}`;
    case 'application.suspended':
    case 'grant.revoked':
    case 'account.reinstated':
    case 'application.reinstated':
    case 'post.unrestricted':
    case 'block.ended':
    case 'operator.suspended':
    case 'operator.reinstated':
    case 'operator.roles_changed':
    case 'operator.token_revoked':
    case 'operator.passkey_removed':
    case 'network.shared_token_limited':
    case 'operator.four_eyes_required':
    case 'operator.four_eyes_lifted':
      return undefined;
  }
}

/**
 * Returns the event id for the restriction of an intent: the same on every attempt, so that the witness recognizes
 * it. It is derived from (type, stream, application, actor, intent). Undefined: no intent requested the restriction.
 */
export function restrictionId(
  type: RestrictionEvent['type'],
  stream: string,
  { appId, actorId, intentId }: EventMetadata,
): string | undefined {
  if (intentId === undefined) return undefined;
  return derivedUuid(JSON.stringify([type, stream, appId, actorId, intentId]));
}

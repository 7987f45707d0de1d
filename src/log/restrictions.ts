import type { EventOf, EventType, StoredEvent } from './registry.js';

/**
 * What takes visibility or authority away, and what gives it back: the witness holds all of it, so that after a recovery
 * everything stands as it was, and nothing is there again (recovery.md).
 */
export const restrictionTypes = [
  'account.suspended',
  'account.reinstated',
  'account.erased',
  'application.suspended',
  'application.reinstated',
  'grant.revoked',
  'post.deleted',
  'block.established',
  'block.ended',
] as const satisfies readonly EventType[];

export type RestrictionEvent = EventOf<(typeof restrictionTypes)[number]>;

export function isRestriction(event: StoredEvent): event is RestrictionEvent {
  return (restrictionTypes as readonly EventType[]).includes(event.type);
}

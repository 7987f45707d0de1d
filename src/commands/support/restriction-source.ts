import type { EventMetadata, Recorded } from '../../log/recorded.js';
import type { RestrictionEvent } from '../../log/restrictions.js';

/**
 * Whether a restriction of what is restricted already has an event of its own. That of a decision on a case always has: an
 * appeal overturns one decision. An operator's has it above what a decision or a batch restricted, which can be undone.
 */
export function isOfItsOwn(
  past: readonly Recorded[],
  type: RestrictionEvent['type'],
  { decisionId }: EventMetadata,
): boolean {
  const newest = past.findLast(({ event }) => event.type === type);
  return decisionId !== undefined || newest?.metadata.cause !== undefined;
}

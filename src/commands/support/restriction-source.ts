import type { EventMetadata, Recorded } from '../../log/recorded.js';
import type { RestrictionEvent } from '../../log/restrictions.js';

/** True for a decision on a case, which an appeal overturns by itself, and for an operator above a decision or a batch. */
export function isOfItsOwn(
  past: readonly Recorded[],
  type: RestrictionEvent['type'],
  { decisionId }: EventMetadata,
): boolean {
  const newest = past.findLast(({ event }) => event.type === type);
  return decisionId !== undefined || newest?.metadata.cause !== undefined;
}

import type { EventMetadata, Recorded } from '../../log/recorded.js';
import type { RestrictionEvent } from '../../log/restrictions.js';

/**
 * True if this restriction has a ground of its own beside the newest one: a decision on a case, which an appeal overturns by
 * itself, and an operator's act above a decision or a batch.
 */
export function addsGround(
  past: readonly Recorded[],
  type: RestrictionEvent['type'],
  { decisionId }: EventMetadata,
): boolean {
  const newest = past.findLast(({ event }) => event.type === type);
  return decisionId !== undefined || newest?.metadata.cause !== undefined;
}

import type { Decision } from '../refusal.js';
import type { AllowanceEvent } from './events.js';

const WINDOW_MS = 24 * 60 * 60_000;

export const windowBegin = (at: number): number => at - WINDOW_MS;

/** Restrictions that are reserved within 24 hours and were not returned. `past`: at least all events of that time. */
export function reservedWithin(past: readonly AllowanceEvent[], at: number): number {
  const reserved = new Map<string, number>();
  for (const { type, data } of past)
    if (type === 'operator.restrictions_returned') reserved.delete(data.reservationId);
    else if (data.at > windowBegin(at)) reserved.set(data.reservationId, data.count);
  return [...reserved.values()].reduce((sum, count) => sum + count, 0);
}

export interface Reservation {
  readonly operatorId: string;
  readonly reservationId: string;
  readonly count: number;
  readonly at: number;
}

/** Empty: together with those of the last 24 hours they are more than `limit`. */
export const reserveRestrictions = (
  past: readonly AllowanceEvent[],
  limit: number,
  reservation: Reservation,
): Decision<AllowanceEvent> =>
  reservedWithin(past, reservation.at) + reservation.count > limit
    ? []
    : [{ type: 'operator.restrictions_reserved', data: reservation }];

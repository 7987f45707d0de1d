import type { DomainEvent, EventTime } from '../event.js';

/**
 * From now on an approval is needed, for restrictions if one operator would make more than `batchItems` within 24
 * hours.
 */
export type FourEyesRequired = DomainEvent<
  'operator.four_eyes_required',
  { readonly batchItems: number } & EventTime
>;

export type FourEyesLifted = DomainEvent<'operator.four_eyes_lifted', EventTime>;

export type FourEyesEvent = FourEyesRequired | FourEyesLifted;

type ReservationData = { readonly operatorId: string; readonly reservationId: string } & EventTime;

/** While four-eyes is on, an operator is about to restrict so many posts or accounts alone. */
export type RestrictionsReserved = DomainEvent<
  'operator.restrictions_reserved',
  { readonly count: number } & ReservationData
>;

export type RestrictionsReturned = DomainEvent<'operator.restrictions_returned', ReservationData>;

export type AllowanceEvent = RestrictionsReserved | RestrictionsReturned;

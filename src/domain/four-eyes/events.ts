import type { DomainEvent, EventTime } from '../event.js';

/** From now on an approval is needed, for a batch if it has more than `batchItems` items. */
export type FourEyesRequired = DomainEvent<
  'operator.four_eyes_required',
  { readonly batchItems: number } & EventTime
>;

export type FourEyesLifted = DomainEvent<'operator.four_eyes_lifted', EventTime>;

export type FourEyesEvent = FourEyesRequired | FourEyesLifted;

import { z } from 'zod';
import { event, id, inData, omitted } from '../event.js';
import type { EventIn } from '../event.js';

const reservation = { operatorId: omitted(id), reservationId: omitted(id) };

export const fourEyesEvents = {
  /**
   * From now on an approval is needed, for restrictions if one operator would make more than `batchItems` within 24
   * hours.
   */
  'operator.four_eyes_required': event({ batchItems: inData(z.int().positive()) }),
  'operator.four_eyes_lifted': event({}),
};

export const allowanceEvents = {
  /** While four-eyes is on, an operator is about to restrict so many posts or accounts alone. */
  'operator.restrictions_reserved': event({ ...reservation, count: inData(z.int().positive()) }),
  'operator.restrictions_returned': event(reservation),
};

export type FourEyesEvent = EventIn<typeof fourEyesEvents>;

export type AllowanceEvent = EventIn<typeof allowanceEvents>;

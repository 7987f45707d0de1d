import type { Decision } from '../refusal.js';
import type { FourEyesEvent } from './events.js';

/** `batchItems` undefined: off. */
export interface FourEyes {
  readonly batchItems: number | undefined;
}

export const noFourEyes: FourEyes = { batchItems: undefined };

export const evolveFourEyes = (_: FourEyes, event: FourEyesEvent): FourEyes => ({
  batchItems: event.type === 'operator.four_eyes_required' ? event.data.batchItems : undefined,
});

export const requireFourEyes = (
  current: FourEyes,
  required: { readonly batchItems: number; readonly at: number },
): Decision<FourEyesEvent> =>
  current.batchItems === required.batchItems ? [] : [{ type: 'operator.four_eyes_required', data: required }];

export const liftFourEyes = ({ batchItems }: FourEyes, at: number): Decision<FourEyesEvent> =>
  batchItems === undefined ? [] : [{ type: 'operator.four_eyes_lifted', data: { at } }];

import { Refusal } from '../refusal.js';
import type { Decision } from '../refusal.js';
import type { FourEyesEvent } from './events.js';

/**
 * `batchItems` undefined: off. `since`: Unix milliseconds of the event that turned it on, `Infinity` while it is off. A
 * fold of the newest event alone does not know `since`.
 */
export interface FourEyes {
  readonly batchItems: number | undefined;
  readonly since: number;
}

interface Approved {
  readonly isApproved: boolean;
}

export const noFourEyes: FourEyes = { batchItems: undefined, since: Infinity };

export const evolveFourEyes = (current: FourEyes, event: FourEyesEvent): FourEyes =>
  event.type === 'operator.four_eyes_required'
    ? { batchItems: event.data.batchItems, since: Math.min(current.since, event.data.at) }
    : noFourEyes;

/** `isApproved`: otherwise it allows no more than before. */
export function requireFourEyes(
  { batchItems }: FourEyes,
  { isApproved, ...required }: { readonly batchItems: number; readonly at: number } & Approved,
): Decision<FourEyesEvent> {
  if (batchItems === required.batchItems) return [];
  if (batchItems !== undefined && batchItems < required.batchItems && !isApproved) return changedMeanwhile();
  return [{ type: 'operator.four_eyes_required', data: required }];
}

export function liftFourEyes(
  { batchItems }: FourEyes,
  { isApproved, at }: { readonly at: number } & Approved,
): Decision<FourEyesEvent> {
  if (batchItems === undefined) return [];
  return isApproved ? [{ type: 'operator.four_eyes_lifted', data: { at } }] : changedMeanwhile();
}

const changedMeanwhile = (): Refusal =>
  new Refusal(
    'intent_conflict',
    'Another operator changed four-eyes meanwhile. Repeat it: it needs an approval now.',
  );

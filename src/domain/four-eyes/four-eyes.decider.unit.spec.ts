import { describe, expect, it } from '@jest/globals';
import type { FourEyesEvent } from './events.js';
import { evolveFourEyes, liftFourEyes, noFourEyes, requireFourEyes } from './four-eyes.js';

const given = (...events: FourEyesEvent[]) => events.reduce(evolveFourEyes, noFourEyes);

const required = (batchItems: number): FourEyesEvent => ({
  type: 'operator.four_eyes_required',
  data: { batchItems, at: 1 },
});
const lifted: FourEyesEvent = { type: 'operator.four_eyes_lifted', data: { at: 1 } };

describe('four-eyes', () => {
  it('is off until it is required', () => {
    expect(given().batchItems).toBeUndefined();
    expect(requireFourEyes(given(), { batchItems: 5, at: 1 })).toEqual([required(5)]);
    expect(given(required(5)).batchItems).toBe(5);
  });

  it('changes its number of items, and is required with each number once', () => {
    expect(requireFourEyes(given(required(5)), { batchItems: 5, at: 1 })).toEqual([]);
    expect(requireFourEyes(given(required(5)), { batchItems: 3, at: 1 })).toEqual([required(3)]);
  });

  it('is lifted once, and can be required again', () => {
    expect(liftFourEyes(given(), 1)).toEqual([]);
    expect(liftFourEyes(given(required(5)), 1)).toEqual([lifted]);
    expect(liftFourEyes(given(required(5), lifted), 1)).toEqual([]);
    expect(requireFourEyes(given(required(5), lifted), { batchItems: 5, at: 1 })).toEqual([required(5)]);
  });
});

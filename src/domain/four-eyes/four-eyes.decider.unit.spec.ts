import { describe, expect, it } from '@jest/globals';
import type { FourEyesEvent } from './events.js';
import { evolveFourEyes, liftFourEyes, noFourEyes, requireFourEyes } from './four-eyes.js';

const given = (...events: FourEyesEvent[]) => events.reduce(evolveFourEyes, noFourEyes);

const required = (batchItems: number): FourEyesEvent => ({
  type: 'operator.four_eyes_required',
  data: { batchItems, at: 1 },
});
const lifted: FourEyesEvent = { type: 'operator.four_eyes_lifted', data: { at: 1 } };

const unapproved = { at: 1, isApproved: false };
const approved = { at: 1, isApproved: true };

describe('four-eyes', () => {
  it('is off until it is required', () => {
    expect(given().batchItems).toBeUndefined();
    expect(requireFourEyes(given(), { batchItems: 5, ...unapproved })).toEqual([required(5)]);
    expect(given(required(5)).batchItems).toBe(5);
  });

  it('changes its number of items, and is required with each number once', () => {
    expect(requireFourEyes(given(required(5)), { batchItems: 5, ...unapproved })).toEqual([]);
    expect(requireFourEyes(given(required(5)), { batchItems: 3, ...unapproved })).toEqual([required(3)]);
  });

  it('is lifted once, and can be required again', () => {
    expect(liftFourEyes(given(), unapproved)).toEqual([]);
    expect(liftFourEyes(given(required(5)), approved)).toEqual([lifted]);
    expect(liftFourEyes(given(required(5), lifted), unapproved)).toEqual([]);
    expect(requireFourEyes(given(required(5), lifted), { batchItems: 5, ...unapproved })).toEqual([
      required(5),
    ]);
  });

  it('is weakened by an approved act alone, also if it was set after the act was checked', () => {
    expect(requireFourEyes(given(required(5)), { batchItems: 6, ...unapproved })).toMatchObject({
      code: 'intent_conflict',
    });
    expect(requireFourEyes(given(required(5)), { batchItems: 6, ...approved })).toEqual([required(6)]);
    expect(liftFourEyes(given(required(5)), unapproved)).toMatchObject({ code: 'intent_conflict' });
  });

  it('is on since it was turned on, and not since its number changed', () => {
    const at = (event: FourEyesEvent, time: number) =>
      ({ ...event, data: { ...event.data, at: time } }) as FourEyesEvent;
    expect(given().since).toBe(Infinity);
    expect(given(at(required(5), 1), at(required(3), 2)).since).toBe(1);
    expect(given(at(required(5), 1), at(lifted, 2)).since).toBe(Infinity);
    expect(given(at(required(5), 1), at(lifted, 2), at(required(5), 3)).since).toBe(3);
  });
});

import { describe, expect, it } from '@jest/globals';
import { reservedWithin, reserveRestrictions } from './allowance.js';
import type { AllowanceEvent } from './events.js';

const operatorId = 'o';
const DAY = 24 * 60 * 60_000;

const reserved = (reservationId: string, count: number, at: number): AllowanceEvent => ({
  type: 'operator.restrictions_reserved',
  data: { operatorId, reservationId, count, at },
});
const returned = (reservationId: string, at: number): AllowanceEvent => ({
  type: 'operator.restrictions_returned',
  data: { operatorId, reservationId, at },
});

describe('the allowance of an operator', () => {
  it('is the sum of 24 hours, and an older reservation no longer counts', () => {
    const past = [reserved('a', 3, 0), reserved('b', 4, 1)];
    expect(reservedWithin(past, DAY - 1)).toBe(7);
    expect(reservedWithin(past, DAY)).toBe(4);
    expect(reservedWithin(past, DAY + 1)).toBe(0);
  });

  it('has back what was returned, also if the reservation is older than the events that were read', () => {
    expect(reservedWithin([reserved('a', 3, 1), reserved('b', 4, 1), returned('a', 2)], 2)).toBe(4);
    expect(reservedWithin([returned('a', 2), reserved('b', 4, 2)], 2)).toBe(4);
  });

  it('reserves up to its limit, and nothing of what is above', () => {
    const past = [reserved('a', 3, 1)];
    const asked = { operatorId, reservationId: 'b', at: 2 };
    expect(reserveRestrictions(past, 5, { ...asked, count: 2 })).toEqual([reserved('b', 2, 2)]);
    expect(reserveRestrictions(past, 5, { ...asked, count: 3 })).toEqual([]);
  });
});

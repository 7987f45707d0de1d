import { describe, expect, it } from '@jest/globals';
import { beginOf, endOf } from './time.js';

const now = Date.UTC(2026, 0, 31, 12);

describe('a time of a search', () => {
  it.each([
    ['2026-01-30', Date.UTC(2026, 0, 30)],
    ['2026-01-30T09:30Z', Date.UTC(2026, 0, 30, 9, 30)],
    ['2026-01-30T09:30:15.250Z', Date.UTC(2026, 0, 30, 9, 30, 15, 250)],
    ['2026-01-30T09:30+02:00', Date.UTC(2026, 0, 30, 7, 30)],
    ['24h', Date.UTC(2026, 0, 30, 12)],
    ['0', now],
    ['999999d', 0],
  ])('is read: %s', (value, expected) => {
    expect(beginOf(value, now)).toBe(expected);
  });

  it('that is a day ends with it, and another where it begins', () => {
    expect(endOf('2026-01-30', now)).toBe(Date.UTC(2026, 0, 31));
    expect(endOf('2026-01-30T09:30Z', now)).toBe(Date.UTC(2026, 0, 30, 9, 30));
    expect(endOf('24h', now)).toBe(Date.UTC(2026, 0, 30, 12));
  });

  it.each(['', 'yesterday', '2026-02-30', '2026-01-30T09:30', '30.1.2026', '-1h', '24', '1w', '1769'])(
    'is refused: %j',
    (value) => {
      expect([beginOf(value, now), endOf(value, now)]).toEqual([undefined, undefined]);
    },
  );
});

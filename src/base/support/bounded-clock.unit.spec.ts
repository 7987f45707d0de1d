import { expect, it } from '@jest/globals';
import { BoundedClock } from './bounded-clock.js';

const NOON = Date.parse('2026-11-27T12:00:00Z');
const MINUTE_MS = 60_000;

function clockAheadBy(milliseconds: number): BoundedClock {
  const clock = new BoundedClock('worker', { now: () => NOON + milliseconds });
  clock.observe(NOON);
  return clock;
}

it.each([0, MINUTE_MS, -90 * MINUTE_MS])('a clock that is ahead by %i ms keeps its time', (milliseconds) => {
  expect(clockAheadBy(milliseconds).now()).toBe(NOON + milliseconds);
});

it('a clock that is ahead by more than a minute takes the time of Postgres, until it is right again', () => {
  const clock = clockAheadBy(MINUTE_MS + 1);
  expect(clock.now()).toBe(NOON);
  clock.observe(NOON + MINUTE_MS);
  expect(clock.now()).toBe(NOON + MINUTE_MS + 1);
});

it('names the process and both clocks if they differ by more than a minute', () => {
  expect(clockAheadBy(MINUTE_MS).fault()).toBeUndefined();
  expect(clockAheadBy(-90 * MINUTE_MS).fault()).toBe(
    'The clock of this worker is at 2026-11-27T10:30:00.000Z, that of Postgres at 2026-11-27T12:00:00.000Z: set the wrong one.',
  );
});

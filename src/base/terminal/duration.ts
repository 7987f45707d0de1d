import { InvalidArgumentError } from 'commander';
import { durationOf } from '../support/duration.js';

/** Returns the milliseconds of a duration: `0`, `90s`, `15m`, `24h`, `7d`. @throws {InvalidArgumentError} */
export function parseDuration(value: string): number {
  const duration = durationOf(value);
  if (duration !== undefined) return duration;
  throw new InvalidArgumentError(
    'A duration must be 0, or a number below 1000000 with s, m, h or d: 90s, 15m, 24h, 7d.',
  );
}

import { InvalidArgumentError } from 'commander';
import { z } from 'zod';
import { parseDuration } from './duration.js';

const moment = z.union([
  z.iso.date(),
  z.iso.datetime({ offset: true, precision: -1 }),
  z.iso.datetime({ offset: true }),
]);

/**
 * Returns Unix milliseconds for `2026-01-31` (UTC), `2026-01-31T09:30Z`, or an age: `90s`, `15m`, `24h`, `7d`. `now`:
 * Unix milliseconds.
 * @throws {InvalidArgumentError}
 */
export function parseSince(value: string, now: number): number {
  if (moment.safeParse(value).success) return Date.parse(value);
  if (/^\d+[smhd]?$/.test(value)) return Math.max(0, now - parseDuration(value));
  throw new InvalidArgumentError(
    'It must be a time (2026-01-31, 2026-01-31T09:30Z) or a time ago (24h, 7d).',
  );
}

import { z } from 'zod';
import { durationOf } from '../../base/support/duration.js';

const DAY_MS = 24 * 60 * 60_000;

const day = z.iso.date();
const moment = z.union([z.iso.datetime({ offset: true, precision: -1 }), z.iso.datetime({ offset: true })]);

export const TIME_HELP = 'a time (2026-01-31, 2026-01-31T09:30Z) or a time ago (24h, 7d)';

/**
 * Returns Unix milliseconds for `2026-01-31` (its begin, UTC), `2026-01-31T09:30Z`, or a time ago: `90s`, `15m`, `24h`,
 * `7d`. Undefined: no such time. `now`: Unix milliseconds.
 */
export function beginOf(value: string, now: number): number | undefined {
  if (day.safeParse(value).success || moment.safeParse(value).success) return Date.parse(value);
  const ago = durationOf(value);
  return ago === undefined ? undefined : Math.max(0, now - ago);
}

/** As {@link beginOf}, and for a day its end. */
export function endOf(value: string, now: number): number | undefined {
  return day.safeParse(value).success ? Date.parse(value) + DAY_MS : beginOf(value, now);
}

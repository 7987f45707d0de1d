import { InvalidArgumentError } from 'commander';

const units = { s: 1_000, m: 60_000, h: 60 * 60_000, d: 24 * 60 * 60_000 } as const;

/** Returns the milliseconds of a duration: `0`, `90s`, `15m`, `24h`, `7d`. @throws {InvalidArgumentError} */
export function parseDuration(value: string): number {
  if (value === '0') return 0;
  const [, count, unit] = /^(\d{1,6})([smhd])$/.exec(value) ?? [];
  if (count !== undefined && unit !== undefined) return Number(count) * units[unit as keyof typeof units];
  throw new InvalidArgumentError('A duration must be 0 or a number with s, m, h or d: 90s, 15m, 24h, 7d.');
}

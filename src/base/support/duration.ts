const units = { s: 1_000, m: 60_000, h: 60 * 60_000, d: 24 * 60 * 60_000 } as const;

/** Milliseconds of `0`, `90s`, `15m`, `24h`, `7d`; undefined: no duration. */
export function durationOf(text: string): number | undefined {
  if (text === '0') return 0;
  const [, count, unit] = /^(\d{1,6})([smhd])$/.exec(text) ?? [];
  return count === undefined || unit === undefined
    ? undefined
    : Number(count) * units[unit as keyof typeof units];
}

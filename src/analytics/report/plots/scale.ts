const STEPS = [1, 2, 2.5, 5, 10] as const;

/** Round numbers from 0 that include `most`, about `count` of them. */
export function ticksTo(most: number, count = 4): readonly number[] {
  if (most <= 0) return [0, 1];
  const raw = most / count;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = (STEPS.find((each) => each * power >= raw) ?? 10) * power;
  const ticks = Array.from({ length: Math.ceil(most / step - 1e-9) + 1 }, (_, n) => n * step);
  return ticks.map((tick) => Number(tick.toPrecision(12)));
}

/** Indexes of at most `count` evenly spaced items, with the first. */
export function someOf(length: number, count: number): readonly number[] {
  const step = Math.max(1, Math.ceil(length / count));
  return Array.from({ length: Math.ceil(length / step) }, (_, n) => n * step);
}

const DAY_MS = 86_400_000;

/** Every `days`th day from the first to the last of these, as `2026-01-31`. */
export function daysFrom(days: readonly string[], every: number): readonly string[] {
  const [first, last] = [days[0], days.at(-1)];
  if (first === undefined || last === undefined) return [];
  const step = every * DAY_MS;
  const count = Math.floor((Date.parse(last) - Date.parse(first)) / step) + 1;
  return Array.from({ length: count }, (_, n) =>
    new Date(Date.parse(first) + n * step).toISOString().slice(0, 10),
  );
}

export const percent = (share: number): string => `${Math.round(share * 100)} %`;

export const amount = (value: number): string =>
  value >= 10_000 ? `${Number((value / 1_000).toPrecision(3))} k` : String(Number(value.toPrecision(4)));

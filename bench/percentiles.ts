import { rounded } from './load.js';

export interface Percentiles {
  readonly p50Ms: number;
  readonly p99Ms: number;
}

export function percentiles(values: readonly number[]): Percentiles {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (share: number) => rounded(sorted[Math.floor(sorted.length * share)] ?? 0);
  return { p50Ms: at(0.5), p99Ms: at(0.99) };
}

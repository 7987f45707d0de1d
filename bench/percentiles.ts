import { rounded } from './load.js';

export interface Percentiles {
  readonly p50Ms: number;
  readonly p99Ms: number;
}

/** The value below which this share of the values lies, from 0 to 1. */
export const quantile = (values: readonly number[], share: number): number =>
  rounded(values.toSorted((a, b) => a - b)[Math.floor(values.length * share)] ?? 0);

export const percentiles = (values: readonly number[]): Percentiles => ({
  p50Ms: quantile(values, 0.5),
  p99Ms: quantile(values, 0.99),
});

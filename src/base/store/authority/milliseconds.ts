import type { ValueTransformer } from 'typeorm';

/**
 * Transformer of a `bigint` column with Unix milliseconds. `pg` returns such a column as text; as a number it is
 * exact below 2^53, some 285,000 years.
 */
export const millisecondsColumn: ValueTransformer = {
  from: (stored: string | null) => (stored === null ? null : Number(stored)),
  to: (value: number | null) => value,
};

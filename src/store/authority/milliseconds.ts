import type { ValueTransformer } from 'typeorm';

/** Unix milliseconds in a `bigint` column: Postgres returns text, and 2^53 ms is far enough away. */
export const millisecondsColumn: ValueTransformer = {
  from: (stored: string | null) => (stored === null ? null : Number(stored)),
  to: (value: number | null) => value,
};

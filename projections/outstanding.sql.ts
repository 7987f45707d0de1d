/**
 * Outstanding restrictions (docs/adr/0016) in the SQL of reads. Usually none exist, and a condition is one comparison
 * with null.
 */

/** Keys of hidden subjects, in the format of `hiddenBy` (src/log/restrictions.ts). Arguments are SQL expressions. */
export const subjectKeys = {
  post: (id: string): string => `'post:' || ${id}`,
  actor: (id: string): string => `'actor:' || ${id}`,
  pair: (one: string, other: string): string => {
    const both = `(${one} COLLATE "C", ${other} COLLATE "C")`;
    return `'pair:' || least${both} || '.' || greatest${both}`;
  },
};

/**
 * Returns a query of one row. `hidden`: a JSON object with a key for each hidden subject that the schema still shows;
 * null if there is none. `unknown_position`: the newest restriction whose subject this code does not know.
 */
export const outstandingSql = (schema: string): string => `
  SELECT jsonb_object_agg(subject, true) AS hidden,
    max(position) FILTER (WHERE subject NOT LIKE ALL ('{post:%,actor:%,pair:%}')) AS unknown_position
  FROM recovery.outstanding_restriction outstanding
  WHERE NOT EXISTS (
    SELECT FROM ${schema}.restriction applied WHERE applied.event_id = outstanding.event_id OFFSET 0)`;

export const isHidden = (...hidden: readonly string[]): string =>
  `CASE WHEN state.hidden IS NULL THEN false ELSE state.hidden ?| ARRAY[${hidden.join(', ')}] END`;

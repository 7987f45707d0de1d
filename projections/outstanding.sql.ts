/**
 * Restrictions that were acknowledged and that the read models have not applied yet (docs/adr/0016), in SQL of reads.
 * Usually there are none: then a condition is one comparison with null.
 */

/** What may be hidden, in the words of `hiddenBy` (src/log/restrictions.ts). `id` and the like are SQL expressions. */
export const subjects = {
  post: (id: string): string => `'post:' || ${id}`,
  actor: (id: string): string => `'actor:' || ${id}`,
  pair: (one: string, other: string): string => {
    const both = `(${one} COLLATE "C", ${other} COLLATE "C")`;
    return `'pair:' || least${both} || '.' || greatest${both}`;
  },
};

/**
 * One row: `hidden`, a JSON object with a key for each subject that the schema's read models still show, null where there
 * is none; and `unknown_position` of the newest restriction of which this code does not know what it hides.
 */
export const outstandingSql = (schema: string): string => `
  SELECT jsonb_object_agg(subject, true) AS hidden,
    max(position) FILTER (WHERE subject NOT LIKE ALL ('{post:%,actor:%,pair:%}')) AS unknown_position
  FROM recovery.outstanding_restriction outstanding
  WHERE NOT EXISTS (
    SELECT FROM ${schema}.restriction applied WHERE applied.event_id = outstanding.event_id OFFSET 0)`;

/** Whether one of these subjects is hidden, in a query that has {@link outstandingSql} in `state`. */
export const isHidden = (...hidden: readonly string[]): string =>
  `CASE WHEN state.hidden IS NULL THEN false ELSE state.hidden ?| ARRAY[${hidden.join(', ')}] END`;

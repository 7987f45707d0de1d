/**
 * Restrictions that were acknowledged and that the read models have not applied yet (docs/adr/0016): SQL conditions of
 * reads. `id`, `actor` and the like are expressions of the query around; `state` is as `ReadQuery` has it.
 *
 * Usually there are none, and `state.has_outstanding` says so: then a condition costs no look-up.
 */

/** What may be hidden, in the words of `hiddenBy` (src/log/restrictions.ts). */
export const subjects = {
  post: (id: string): string => `'post:' || ${id}`,
  actor: (id: string): string => `'actor:' || ${id}`,
  pair: (one: string, other: string): string => {
    const both = `(${one} COLLATE "C", ${other} COLLATE "C")`;
    return `'pair:' || least${both} || '.' || greatest${both}`;
  },
};

/** Position of the newest one of a kind that this code does not know; null: there is none. */
export const newestUnknown = `(
  SELECT max(position) FROM recovery.outstanding_restriction
  WHERE subject NOT LIKE ALL ('{post:%,actor:%,pair:%}'))`;

/** Whether one of these subjects is hidden. One that the schema's read models have applied hides nothing any more. */
export const isHidden = (schema: string, ...hidden: readonly string[]): string => `
  CASE WHEN state.has_outstanding THEN EXISTS (
    SELECT FROM recovery.outstanding_restriction outstanding
    WHERE outstanding.subject IN (${hidden.join(', ')}) AND NOT EXISTS (
      SELECT FROM ${schema}.restriction applied WHERE applied.event_id = outstanding.event_id OFFSET 0)
    OFFSET 0) ELSE false END`;

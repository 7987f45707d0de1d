/**
 * A read of the read models, as SQL that its caller embeds in one larger statement. An authorized read is a single
 * statement, so that recovery state, the caller's authority and data come from one snapshot:
 *
 *     WITH state AS (…), caller AS (…)
 *     SELECT …, CASE WHEN <admitted> THEN <query.sql(scope)> END AS data FROM state CROSS JOIN caller
 *
 * The text depends on the scope alone: one statement can be prepared for each query and schema. So `name` must be
 * unique among all queries.
 */
export interface ReadQuery<Args, Result> {
  readonly name: string;
  values(args: Args): readonly unknown[];
  /**
   * Returns a parenthesized scalar subquery of type `json`. The subquery may refer to these columns:
   * - `caller.actor_id` and `caller.app_id` (text; null for an anonymous caller)
   * - `caller.has_blocks` (boolean; see projections/visibility.sql.ts)
   * - `state.applied_position` (numeric; null while the log is empty)
   * - `state.cursors_valid_from` (numeric; lower cursors belong to another incarnation)
   * - `state.hidden` (jsonb; see projections/outstanding.sql.ts)
   */
  sql(scope: Scope): string;
  present(json: unknown): Result;
}

/**
 * One read for many callers, each with a cursor of its own. One statement, and so one snapshot, admits each caller
 * separately.
 */
export interface SharedReadQuery<Args, Result> {
  readonly name: string;
  values(args: Args): readonly unknown[];
  /**
   * Returns a parenthesized query of `n` and `data` (json), with one row for each row of `caller`. `caller` has the
   * admitted callers: `n`, `actor_id` (null if anonymous), `has_blocks` and `cursor` (numeric). `state` has one row, as for
   * {@link ReadQuery}.
   */
  sql(scope: Scope): string;
  present(json: unknown): Result;
}

export interface Scope {
  readonly schema: string;
  readonly parameter: (n: number) => string;
}

/**
 * Scope of a query whose parameters follow `before` others in the enclosing statement. `parameter(1)` is the query's
 * first.
 */
export function scopeOf(schemaName: string, before: number): Scope {
  return {
    schema: `"${schemaName.replaceAll('"', '""')}"`,
    parameter: (n) => `$${before + n}`,
  };
}

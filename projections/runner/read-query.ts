/**
 * A question to the read models, as a piece of SQL that its caller embeds in one larger statement. A protected read is
 * a single statement, so that the recovery state, the caller's authority and the data come from one snapshot:
 *
 *     WITH state AS (…), caller AS (…)
 *     SELECT …, CASE WHEN <admitted> THEN <query.sql(scope)> END AS data FROM state CROSS JOIN caller
 *
 * The text depends on nothing but the scope: one statement can be prepared for each query and schema.
 */
export interface ReadQuery<Args, Result> {
  /** Names the question, unique among all: part of a prepared statement's name. */
  readonly name: string;
  /** Values of the query's own parameters, in order. */
  values(args: Args): readonly unknown[];
  /**
   * A parenthesized scalar subquery that answers `json`. It may refer to
   * `caller.actor_id` (text; null for an anonymous caller), `caller.app_id` likewise, `state.applied_position` (numeric;
   * null at an empty log), `state.cursors_valid_from` (numeric: below it, cursors are of another incarnation) and
   * `state.hidden` (jsonb: see projections/outstanding.sql.ts).
   */
  sql(scope: Scope): string;
  /** The typed answer from what `pg` parsed out of the column. */
  present(json: unknown): Result;
}

/**
 * The same question for many callers at once, each behind a cursor of its own: one statement, and so one snapshot, in which
 * each is admitted for itself.
 */
export interface SharedReadQuery<Args, Result> {
  /** As of a {@link ReadQuery}. */
  readonly name: string;
  values(args: Args): readonly unknown[];
  /**
   * A parenthesized query of `n` and `data` (json), one row for each of `caller`: a relation of whoever was admitted, with
   * `n`, `actor_id` (null for an anonymous caller) and `cursor` (numeric). `state` is a relation of one row, as of a
   * {@link ReadQuery}.
   */
  sql(scope: Scope): string;
  present(json: unknown): Result;
}

/** Where an embedded query finds its tables and its parameters. */
export interface Scope {
  /** Quoted name of the incarnation's schema. */
  readonly schema: string;
  /** Placeholder of the query's `n`th parameter, counted from 1, in the whole statement. */
  readonly parameter: (n: number) => string;
}

/** The scope of a query whose parameters stand behind the `before` parameters of the statement around it. */
export function scopeOf(schemaName: string, before: number): Scope {
  return {
    schema: `"${schemaName.replaceAll('"', '""')}"`,
    parameter: (n) => `$${before + n}`,
  };
}

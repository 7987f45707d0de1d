import { outstandingSql } from '../../../../projections/outstanding.sql.js';
import { scopeOf } from '../../../../projections/runner/read-query.js';
import type { SharedReadQuery } from '../../../../projections/runner/read-query.js';
import { asCaller } from '../../../../projections/visibility.sql.js';
import { publicationStateSql } from '../../../../projections/incarnations/recovery-state.js';
import { callerSql } from './admission-sql.js';
import type { AdmissionRow } from './admission-sql.js';
import { authorityRebuildSql } from './unavailable.js';

/**
 * Values of the first parameters of {@link admittedSharedReadSql}, in their order. The parameters of the read query
 * follow.
 */
export interface SharedAdmissionValues {
  /** SHA-256 of each caller's access token; null for an anonymous caller. `cursors` has the same order. */
  readonly tokenHashes: readonly (Buffer | null)[];
  readonly now: number;
  readonly incarnation: string;
  readonly scope: string | null;
  readonly cursors: readonly string[];
}

export const sharedAdmissionParameters = (values: SharedAdmissionValues): unknown[] => [
  values.tokenHashes,
  values.now,
  values.incarnation,
  values.scope,
  values.cursors,
];

const PARAMETERS = 5;

export interface SharedAdmissionRow extends AdmissionRow {
  /** Number of the caller in the order of the token hashes, from 1. */
  readonly n: string;
}

/**
 * {@link admittedReadSql} for many callers. Authority, admission and data of all come from one snapshot. `OFFSET 0`
 * makes Postgres look up each caller by key, however many there are.
 */
export function admittedSharedReadSql(
  schemaName: string,
  query: Pick<SharedReadQuery<never, unknown>, 'sql'>,
): string {
  const scope = scopeOf(schemaName, PARAMETERS);
  return `
  WITH state AS MATERIALIZED (
    SELECT published.*, outstanding.*
    FROM (${publicationStateSql}) published CROSS JOIN (${outstandingSql(scope.schema)}) outstanding
  ), known AS MATERIALIZED (
    SELECT asked.*, holder.*, greatest((SELECT unknown_position FROM state), (
      SELECT outstanding.position FROM recovery.outstanding_write outstanding
      WHERE outstanding.actor_id = holder.actor_id)) AS needed_position
    FROM unnest($1::bytea[], $5::numeric[]) WITH ORDINALITY AS asked(token_hash, cursor, n)
    LEFT JOIN LATERAL (${asCaller(scope.schema, callerSql('asked.token_hash'))} OFFSET 0) holder ON true
  ), judged AS MATERIALIZED (
    SELECT known.*, coalesce((SELECT applied_position FROM state) >= known.needed_position, known.needed_position IS NULL)
      AS fresh
    FROM known
  ), caller AS MATERIALIZED (
    SELECT judged.* FROM judged CROSS JOIN state
    WHERE state.status = 'serving' AND state.incarnation = $3::text AND judged.fresh
      AND (judged.token_hash IS NULL
        OR (judged.token_live AND judged.authority_live AND ($4::text IS NULL OR $4 = ANY (judged.scopes))))
  ), answer AS MATERIALIZED (
    SELECT * FROM ${query.sql(scope)} answered
  )
  SELECT n, state.incarnation, state.status, state.applied_position, state.witness_epoch, ${authorityRebuildSql} AS deriving,
    judgment.actor_id, judgment.app_id, judgment.grant_id, judgment.scopes, judgment.expires_at, judgment.token_live, judgment.authority_live,
    judgment.needed_position, judgment.fresh, judgment.data
  FROM (SELECT * FROM judged FULL JOIN answer USING (n)) judgment LEFT JOIN state ON true`;
}

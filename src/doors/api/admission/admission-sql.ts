import { outstandingSql } from '../../../../projections/outstanding.sql.js';
import { scopeOf } from '../../../../projections/runner/read-query.js';
import type { ReadQuery } from '../../../../projections/runner/read-query.js';
import { asCaller } from '../../../../projections/visibility.sql.js';
import { publicationStateSql } from '../../../../projections/incarnations/recovery-state.js';
import { databaseNowSql } from '../../../base/store/database-clock.js';
import { authorityRebuildSql, admissionStateSql } from './unavailable.js';
import type { AdmissionState } from './unavailable.js';

/**
 * Values of the first parameters of {@link admittedReadSql}, in their order. The parameters of the read query follow.
 */
export interface AdmissionValues {
  readonly tokenHash: Buffer | null;
  /** Unix milliseconds. */
  readonly now: number;
  readonly incarnation: string;
  readonly scope: string | null;
  /** Log position that the answer must show, in decimal digits; null: no requirement. */
  readonly minPosition: string | null;
}

export const admissionParameters = (values: AdmissionValues): unknown[] => [
  values.tokenHash,
  values.now,
  values.incarnation,
  values.scope,
  values.minPosition,
];

const ADMISSION_PARAMETERS = 5;

/**
 * The single row of {@link admittedReadSql}. Columns are null without a publication, for an unknown token, and if no
 * revision is required.
 */
export interface AdmissionRow extends AdmissionState {
  readonly incarnation: string | null;
  readonly applied_position: string | null;
  readonly actor_id: string | null;
  readonly app_id: string | null;
  readonly grant_id: string | null;
  readonly scopes: readonly string[] | null;
  readonly expires_at: string | null;
  readonly token_live: boolean | null;
  readonly authority_live: boolean | null;
  /**
   * Log position that the read models must have reached before the read is answered: the latest of the minimum
   * revision, the caller's outstanding write, and an outstanding restriction of unknown effect.
   */
  readonly needed_position: string | null;
  readonly fresh: boolean | null;
  readonly data: unknown;
}

/**
 * Selects the caller that an access token stands for. `token_live`: the token has not expired at `$2` (Unix
 * milliseconds), and its grant is not revoked. `authority_live`: account and application are active.
 */
export const callerSql = (tokenHash = '$1::bytea'): string => `
  SELECT grants.actor_id, grants.app_id, grants.grant_id, grants.scopes,
    floor(extract(epoch FROM token.expires_at) * 1000)::bigint AS expires_at,
    token.expires_at > to_timestamp($2::double precision / 1000) AND grants.revoked_at IS NULL AS token_live,
    account.state = 'active' AND application.state = 'active' AS authority_live
  FROM authority.oidc_record token
  JOIN authority.app_grant grants USING (grant_id)
  JOIN authority.account account USING (actor_id)
  JOIN authority.application application ON application.app_id = grants.app_id
  WHERE token.kind = 'AccessToken' AND token.key_hash = ${tokenHash}`;

/** A row for each token hash of `$1` (bytea[]), in its order. `OFFSET 0` makes Postgres look up each caller by key. */
export const mutationAdmissionSql = `
  SELECT standing.*, caller.*, ${databaseNowSql} AS database_now, coalesce((SELECT paused FROM authority.publishing), false) AS publishing_paused
  FROM unnest($1::bytea[]) WITH ORDINALITY AS asked(token_hash, n)
  CROSS JOIN (${admissionStateSql}) standing
  LEFT JOIN LATERAL (${callerSql('asked.token_hash')} OFFSET 0) caller ON true
  ORDER BY asked.n`;

/**
 * A protected read as one statement (docs/adr/0005-one-position.md). Recovery state, authority and data come from one
 * snapshot, so the headers describe exactly their body. `data` is null unless the statement admits the read. The
 * process checks its restriction proof after the statement.
 */
export function admittedReadSql(schemaName: string, query: Pick<ReadQuery<never, unknown>, 'sql'>): string {
  const scope = scopeOf(schemaName, ADMISSION_PARAMETERS);
  return `
  WITH state AS MATERIALIZED (
    SELECT published.*, outstanding.*
    FROM (${publicationStateSql}) published CROSS JOIN (${outstandingSql(scope.schema)}) outstanding
  ), caller AS MATERIALIZED (${asCaller(scope.schema, callerSql())}
  ), freshness AS (
    SELECT greatest($5::numeric, (SELECT unknown_position FROM state), (
      SELECT outstanding.position FROM recovery.outstanding_write outstanding
      WHERE outstanding.actor_id = (SELECT actor_id FROM caller))) AS needed_position
  )
  SELECT state.incarnation, state.status, state.applied_position, state.witness_epoch, ${authorityRebuildSql} AS deriving, caller.*,
    freshness.needed_position,
    coalesce(state.applied_position >= freshness.needed_position, freshness.needed_position IS NULL) AS fresh,
    CASE WHEN state.status = 'serving' AND state.incarnation = $3::text
      AND ($1::bytea IS NULL
        OR (caller.token_live AND caller.authority_live AND ($4::text IS NULL OR $4 = ANY (caller.scopes))))
      AND coalesce(state.applied_position >= freshness.needed_position, freshness.needed_position IS NULL)
    THEN ${query.sql(scope)} END AS data
  FROM freshness LEFT JOIN state ON true LEFT JOIN caller ON true`;
}

import { outstandingSql } from '../../../../projections/outstanding.sql.js';
import { publicationStateSql } from '../../../../projections/incarnations/recovery-state.js';
import { scopeOf } from '../../../../projections/runner/read-query.js';
import type { ReadQuery } from '../../../../projections/runner/read-query.js';
import { asCaller } from '../../../../projections/visibility.sql.js';
import { HttpRefusal } from '../../../server/errors.js';
import type { PublishedStatements } from './published-statements.js';
import type { RestrictionProof } from './restriction-proof.js';
import { authorityRebuildSql, unavailableMessage, unavailableReason } from './unavailable.js';
import type { AdmissionState } from './unavailable.js';

interface Row extends AdmissionState {
  readonly incarnation: string | null;
  readonly fresh: boolean | null;
  readonly data: unknown;
}

/**
 * Reads by the rules of a person's own reads, for a page of the network where the person has proven who they are: with a
 * session and without an application, and also while they are suspended.
 */
export class PersonsReads {
  constructor(
    private readonly statements: PublishedStatements,
    private readonly proof: RestrictionProof,
  ) {}

  /** @throws {HttpRefusal} the network refuses reads now. */
  async read<Args, Result>(actorId: string, query: ReadQuery<Args, Result>, args: Args): Promise<Result> {
    const [row] = await this.statements.run<Row>({
      name: `${query.name}-of-person`,
      text: (schemaName) => personsReadSql(schemaName, query),
      values: ({ incarnation }) => [actorId, incarnation, ...query.values(args)],
    });
    const reason = unavailableReason(row, this.proof);
    if (reason) throw new HttpRefusal(reason, unavailableMessage(reason, 'read'));
    if (!row.fresh)
      throw new HttpRefusal('protected_read_unavailable', 'The read models have not caught up; retry.');
    return query.present(row.data);
  }
}

const PARAMETERS = 2;

/** One statement, as of an API's read (admission-sql.ts), without its token. */
function personsReadSql(schemaName: string, query: Pick<ReadQuery<never, unknown>, 'sql'>): string {
  const scope = scopeOf(schemaName, PARAMETERS);
  return `
  WITH state AS MATERIALIZED (
    SELECT published.*, outstanding.*
    FROM (${publicationStateSql}) published CROSS JOIN (${outstandingSql(scope.schema)}) outstanding
  ), caller AS MATERIALIZED (${asCaller(scope.schema, 'SELECT $1::text AS actor_id, NULL::text AS app_id')}
  )
  SELECT state.incarnation, state.status, state.witness_epoch, ${authorityRebuildSql} AS deriving,
    coalesce(state.applied_position >= state.unknown_position, state.unknown_position IS NULL) AS fresh,
    CASE WHEN state.status = 'serving' AND state.incarnation = $2::text THEN ${query.sql(scope)} END AS data
  FROM (VALUES (1)) AS one LEFT JOIN state ON true LEFT JOIN caller ON true`;
}

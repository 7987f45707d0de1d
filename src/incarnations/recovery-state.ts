import type { ClientBase, Pool } from 'pg';

/** What reads are admitted by: the published incarnation and how much of the log it shows. */
export interface PublicationState {
  readonly incarnation: string;
  readonly schemaName: string;
  readonly status: 'serving' | 'quarantined';
  /** Why it is quarantined. */
  readonly reason: string | null;
  readonly networkId: string;
  /** Position of the newest event that it has applied; undefined while none. */
  readonly appliedPosition: bigint | undefined;
  /** Id of that event. */
  readonly appliedEventId: string | undefined;
  /** Number of the witness's restrictions that it has applied. */
  readonly witnessEpoch: bigint;
  readonly versions: Readonly<Record<string, number>>;
}

/**
 * The recovery state as a query of at most one row, to be read in one statement with the data that it admits:
 * `WITH state AS (${recoveryStateSql}) …`. No row: nothing was published yet.
 */
export const publicationStateSql = `
  SELECT publication.incarnation, incarnation.schema_name, publication.status, publication.reason,
    publication.network_id, incarnation.applied_position, incarnation.applied_event_id,
    incarnation.witness_epoch, incarnation.versions,
    incarnation.cursors_valid_from
  FROM recovery.publication JOIN recovery.incarnation USING (incarnation)`;

interface Row {
  readonly incarnation: string;
  readonly schema_name: string;
  readonly status: 'serving' | 'quarantined';
  readonly reason: string | null;
  readonly network_id: string;
  readonly applied_position: string | null;
  readonly applied_event_id: string | null;
  readonly witness_epoch: string;
  readonly versions: Record<string, number>;
}

/** Undefined: nothing was published yet. */
export async function readPublicationState(
  database: Pool | ClientBase,
): Promise<PublicationState | undefined> {
  const { rows } = await database.query<Row>(publicationStateSql);
  const row = rows[0];
  return (
    row && {
      incarnation: row.incarnation,
      schemaName: row.schema_name,
      status: row.status,
      reason: row.reason,
      networkId: row.network_id,
      appliedPosition: row.applied_position === null ? undefined : BigInt(row.applied_position),
      appliedEventId: row.applied_event_id ?? undefined,
      witnessEpoch: BigInt(row.witness_epoch),
      versions: row.versions,
    }
  );
}

/** Where its restrictions are; undefined: it was built by a release that counted none. */
export const schemaOfRestrictions = ({ schemaName, versions }: PublicationState): string | undefined =>
  versions['restrictions'] === undefined ? undefined : schemaName;

/**
 * Restrictions that reads know, applied or outstanding, as a relation of `event_id` and `witness_epoch`: neither kind may be
 * unknown to log and witness. `schema`: of the read models.
 */
export const knownRestrictionsSql = (schema: string): string => `(
  SELECT event_id, witness_epoch FROM "${schema}".restriction
  UNION ALL
  SELECT event_id, witness_epoch FROM recovery.outstanding_restriction outstanding WHERE NOT EXISTS (
    SELECT FROM "${schema}".restriction applied WHERE applied.event_id = outstanding.event_id)) known`;

/** Ids of all restrictions that these read models, or rows beside them, show. */
export async function allShown(
  database: Pool | ClientBase,
  state: PublicationState | undefined,
): Promise<readonly string[]> {
  const schema = state && schemaOfRestrictions(state);
  if (schema === undefined) return [];
  const { rows } = await database.query<{ event_id: string }>(
    `SELECT event_id FROM ${knownRestrictionsSql(schema)}`,
  );
  return rows.map(({ event_id }) => event_id);
}

/** Those of these events that the published read models show to have been restrictions of the witness. */
export async function shownRestrictions(
  database: Pool,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  const state = await readPublicationState(database);
  const schema = state && schemaOfRestrictions(state);
  if (schema === undefined || ids.length === 0) return new Set();
  const { rows } = await database.query<{ event_id: string }>(
    `SELECT event_id FROM "${schema}".restriction WHERE event_id = ANY ($1::uuid[])`,
    [ids],
  );
  return new Set(rows.map(({ event_id }) => event_id));
}

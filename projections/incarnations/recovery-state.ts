import type { ClientBase, Pool } from 'pg';

export interface PublicationState {
  readonly incarnation: string;
  readonly schemaName: string;
  readonly status: 'serving' | 'quarantined';
  readonly reason: string | null;
  readonly networkId: string;
  readonly appliedPosition: bigint | undefined;
  readonly appliedEventId: string | undefined;
  readonly witnessEpoch: bigint;
  readonly versions: Readonly<Record<string, number>>;
}

/** A condition: nothing is done or shown in a quarantine, as the log may lack events. */
export const isServingSql = `EXISTS (SELECT FROM recovery.publication WHERE status = 'serving')`;

/**
 * The publication as a query of at most one row, for one statement with the data that it admits: `WITH state AS
 * (${publicationStateSql}) …`. No row: nothing is published.
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

/** Undefined: an earlier release built the incarnation, without a table of restrictions. */
export const schemaOfRestrictions = ({ schemaName, versions }: PublicationState): string | undefined =>
  versions['restrictions'] === undefined ? undefined : schemaName;

/**
 * Applied and outstanding restrictions, as a relation of `event_id` and `witness_epoch`. Log and witness must
 * know both kinds.
 */
export const knownRestrictionsSql = (schema: string): string => `(
  SELECT event_id, witness_epoch FROM "${schema}".restriction
  UNION ALL
  SELECT event_id, witness_epoch FROM recovery.outstanding_restriction outstanding WHERE NOT EXISTS (
    SELECT FROM "${schema}".restriction applied WHERE applied.event_id = outstanding.event_id)) known`;

export async function knownRestrictionIds(
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

/** Returns those of `ids` whose restriction the published read models have applied. */
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

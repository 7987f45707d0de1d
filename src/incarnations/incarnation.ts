import type { ClientBase, Pool } from 'pg';
import type { Versions } from '../../projections/runner/projection.js';
import { inTransaction } from '../store/transaction.js';

/** Channel of `NOTIFY` that tells when the publication changes. */
export const PUBLICATION_CHANNEL = 'plaza_publication';

/** One generation of read models, in a schema of its own. The id is random, so that no backup can bring it back as another. */
export interface Incarnation {
  readonly incarnation: string;
  readonly schemaName: string;
}

export interface Found extends Incarnation {
  readonly isPublished: boolean;
  /** It was built, and stopped before it could be published: it may not be what the log says. */
  readonly isRefused: boolean;
}

interface Row {
  readonly incarnation: string;
  readonly schema_name: string;
}

/**
 * The published incarnation if it has exactly these versions; else the newest unfinished build that has. What was published
 * before, and what an operator's job builds, are none of these.
 */
export async function findIncarnation(client: ClientBase, versions: Versions): Promise<Found | undefined> {
  const { rows } = await client.query<Row & { is_published: boolean; is_refused: boolean }>(
    `SELECT incarnation, schema_name, publication.singleton IS NOT NULL AS is_published,
      publication.singleton IS NULL AND build_state = 'built' AND stopped_reason IS NOT NULL AS is_refused
    FROM recovery.incarnation LEFT JOIN recovery.publication USING (incarnation)
    WHERE versions = $1 AND (publication.singleton OR retired_at IS NULL
      AND NOT EXISTS (SELECT FROM recovery.job WHERE job.incarnation = incarnation.incarnation))
    ORDER BY is_published DESC, created_at DESC LIMIT 1`,
    [versions],
  );
  const row = rows[0];
  return (
    row && {
      incarnation: row.incarnation,
      schemaName: row.schema_name,
      isPublished: row.is_published,
      isRefused: row.is_refused,
    }
  );
}

/**
 * Makes an empty incarnation, to be built: schema, tables without what a build makes at its end, and row in one
 * transaction. `id`: new, random, of `[a-z0-9]`.
 */
export async function createIncarnation(
  client: ClientBase,
  options: {
    readonly id: string;
    readonly versions: Versions;
    readonly tables: readonly string[];
    readonly now: number;
  },
): Promise<Incarnation> {
  const made = { incarnation: options.id, schemaName: `inc_${options.id}` };
  await inTransaction(client, async () => {
    await client.query(
      `INSERT INTO recovery.incarnation (incarnation, schema_name, versions, created_at, build_state)
      VALUES ($1, $2, $3, $4, 'loading')`,
      [made.incarnation, made.schemaName, options.versions, new Date(options.now)],
    );
    await client.query(`CREATE SCHEMA ${made.schemaName}; SET LOCAL search_path = ${made.schemaName}`);
    for (const ddl of options.tables) await client.query(ddl);
  });
  return made;
}

/** Drops an incarnation that is not published, with all its tables. */
export async function dropIncarnation(
  client: ClientBase,
  { incarnation, schemaName }: Incarnation,
): Promise<void> {
  await inTransaction(client, async () => {
    await client.query('DELETE FROM recovery.incarnation WHERE incarnation = $1', [incarnation]);
    await client.query(
      `DROP SCHEMA ${schemaName} CASCADE; DROP SCHEMA IF EXISTS verify_${incarnation} CASCADE`,
    );
  });
}

export interface PublishOptions {
  readonly incarnation: string;
  /**
   * Its identifier from now on: new, where it was published before. A client that looks before a rebuild and after it was
   * taken back has to see that there were changes. Undefined: as before.
   */
  readonly as?: string;
  readonly networkId: string;
  /** What is published, and what `incarnation` takes the place of; undefined: nothing is. */
  readonly instead: string | undefined;
  /** Unix milliseconds. */
  readonly now: number;
  /** How reads are admitted to what is published. Out of a quarantine leads nothing but a recovery. */
  readonly from?: 'serving' | 'quarantined';
  /** Why the first incarnation is in quarantine from the beginning, so that nobody is shown it. */
  readonly quarantined?: string | undefined;
  /** What is to be seen with it or not at all: done in its transaction, on its client. */
  readonly alongside?: () => Promise<void>;
}

/**
 * Lets reads see an incarnation, instead of another one, which is kept for a while: it is retired. Reads never go back: both
 * stand still for the moment of the change, and what is shown then shows at least what was shown before. `behind`: it
 * does not yet. `changed`: the publication is not what it was. In both cases nothing was changed. Out of a quarantine there is
 * no going back to anything: what was shown then may be of a log that is lost, and so may what writers still wait for.
 *
 * A build that no longer handles the newest event's type stays behind until one comes that it handles.
 *
 * What was handed out so far as a cursor is of no use to it (decisions.md, "Reconcile"): positions are those of the log,
 * so only those after both are surely its own. The first incarnation takes any.
 */
export async function publish(
  client: ClientBase,
  options: PublishOptions,
): Promise<'published' | 'behind' | 'changed'> {
  const { incarnation, as = incarnation, networkId, instead, now, from = 'serving', quarantined } = options;
  return inTransaction(client, async () => {
    const isBehind = await lockAndCompare(client, incarnation, instead);
    if (isBehind && from === 'serving') return 'behind';
    const { rowCount } = await client.query(
      `WITH published AS (
        INSERT INTO recovery.publication (incarnation, status, reason, network_id)
        VALUES ($7, CASE WHEN $6::text IS NULL THEN 'serving' ELSE 'quarantined' END, $6, $2)
        ON CONFLICT (singleton) DO UPDATE SET incarnation = excluded.incarnation, status = 'serving', reason = NULL
          WHERE publication.incarnation = $3 AND publication.status = $4
        RETURNING incarnation
      ), begun AS (
        UPDATE recovery.incarnation SET incarnation = $7, retired_at = NULL, cursors_valid_from = CASE WHEN $3::text IS NULL
          THEN cursors_valid_from ELSE 1 + (SELECT max(coalesce(applied_position, -1))
            FROM recovery.incarnation WHERE incarnation IN ($1, $3)) END
        FROM published
        WHERE incarnation.incarnation = $1
      ), retired AS (
        UPDATE recovery.incarnation SET retired_at = $5
        FROM published
        WHERE incarnation.incarnation = $3 AND incarnation.incarnation <> $1
      )
      SELECT pg_notify('${PUBLICATION_CHANNEL}', incarnation) FROM published`,
      [incarnation, networkId, instead ?? null, from, new Date(now), quarantined ?? null, as],
    );
    if (rowCount !== 1) return 'changed';
    if (from === 'quarantined') await client.query('DELETE FROM recovery.outstanding_write');
    await options.alongside?.();
    return 'published';
  });
}

/**
 * Whether it shows less than the other. Locks both, always in the same order: whoever wants to move either on waits for the
 * end of the transaction.
 */
async function lockAndCompare(
  client: ClientBase,
  incarnation: string,
  instead: string | undefined,
): Promise<boolean> {
  const { rows } = await client.query<{ incarnation: string; applied_position: string | null }>(
    `SELECT incarnation, applied_position FROM recovery.incarnation WHERE incarnation = ANY ($1)
    ORDER BY incarnation FOR NO KEY UPDATE`,
    [instead === undefined ? [incarnation] : [incarnation, instead]],
  );
  const positionOf = (key: string | undefined) =>
    BigInt(rows.find((row) => row.incarnation === key)?.applied_position ?? -1);
  return positionOf(incarnation) < positionOf(instead);
}

/** Whether this is what reads are admitted to. Undefined: it is not published. */
export async function publishedStatus(
  client: ClientBase,
  incarnation: string,
): Promise<'serving' | 'quarantined' | undefined> {
  const { rows } = await client.query<{ status: 'serving' | 'quarantined' }>({
    name: 'publication.status',
    text: 'SELECT status FROM recovery.publication WHERE incarnation = $1',
    values: [incarnation],
  });
  return rows[0]?.status;
}

/** Lets nobody read, write or sign in from now on, for this reason, until an operator recovers. The first reason stands. */
export async function quarantine(
  database: Pool | ClientBase,
  incarnation: string,
  reason: string,
): Promise<void> {
  await database.query(
    `WITH quarantined AS (
      UPDATE recovery.publication SET status = 'quarantined', reason = $2
      WHERE incarnation = $1 AND status = 'serving'
      RETURNING incarnation
    )
    SELECT pg_notify('${PUBLICATION_CHANNEL}', incarnation) FROM quarantined`,
    [incarnation, reason],
  );
}

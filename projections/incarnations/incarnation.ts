import type { ClientBase, Pool } from 'pg';
import type { Versions } from '../runner/projection.js';
import { inTransaction } from '../../src/base/store/transaction.js';

export const PUBLICATION_CHANNEL = 'plaza_publication';

/**
 * All read models once, in a schema of its own. Its id is random, so that no id from before a restore is used
 * again.
 */
export interface Incarnation {
  readonly incarnation: string;
  readonly schemaName: string;
}

export interface FoundIncarnation extends Incarnation {
  readonly isPublished: boolean;
  /** Built, but stopped before publication: its tables may differ from the log. */
  readonly isRefused: boolean;
}

interface Row {
  readonly incarnation: string;
  readonly schema_name: string;
}

/**
 * Returns the published incarnation if it has exactly these versions; else the newest unfinished build of
 * these versions. Excludes retired incarnations and builds of jobs.
 */
export async function findIncarnation(
  client: ClientBase,
  versions: Versions,
): Promise<FoundIncarnation | undefined> {
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
 * Creates schema, tables and row of an empty incarnation in one transaction; indexes follow at the end of the
 * build. `id`: new, random, of `[a-z0-9]`.
 */
export async function createIncarnation(
  client: ClientBase,
  options: {
    readonly id: string;
    readonly versions: Versions;
    readonly tables: readonly string[];
    readonly now: number;
    readonly schemaPrefix?: string;
  },
): Promise<Incarnation> {
  const { schemaPrefix = 'inc' } = options;
  const created = { incarnation: options.id, schemaName: `${schemaPrefix}_${options.id}` };
  await inTransaction(client, async () => {
    await client.query(
      `INSERT INTO recovery.incarnation (incarnation, schema_name, versions, created_at, build_state)
      VALUES ($1, $2, $3, $4, 'loading')`,
      [created.incarnation, created.schemaName, options.versions, new Date(options.now)],
    );
    await client.query(`CREATE SCHEMA ${created.schemaName}; SET LOCAL search_path = ${created.schemaName}`);
    for (const ddl of options.tables) await client.query(ddl);
  });
  return created;
}

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
   * The new identifier of an incarnation that was published before. Without one, a client that reads before a
   * rebuild and after its rollback would see no change.
   */
  readonly as?: string;
  readonly networkId: string;
  readonly instead: string | undefined;
  readonly now: number;
  /** Expected status of the publication. Only a recovery passes `quarantined`. */
  readonly from?: 'serving' | 'quarantined';
  readonly quarantined?: string | undefined;
  readonly alongside?: () => Promise<void>;
}

/**
 * Publishes an incarnation in place of another one, which is retired. Both are locked, so the new one shows at least as
 * much as the old one. Returns `behind` if it does not yet, `changed` if the publication is another one; both change
 * nothing.
 *
 * After a quarantine, the replaced incarnation may show a lost log: a rollback to it then fails. Outstanding writes may
 * belong to that log, too, and are deleted. Earlier cursors become invalid (docs/api-decisions.md, "Reconcile"): only
 * positions after both incarnations are surely its own.
 *
 * A build that no longer handles the newest event's type stays `behind` until an event arrives that it handles.
 */
export async function publishIncarnation(
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
 * Returns true if the incarnation shows less than the other. Locks both in a fixed order, so that no other
 * session advances either before the commit.
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

/** Undefined: the incarnation is not published. `isHidingAny`: restrictions are outstanding (docs/adr/0016). */
export async function publishedState(
  client: ClientBase,
  incarnation: string,
): Promise<{ readonly status: 'serving' | 'quarantined'; readonly isHidingAny: boolean } | undefined> {
  const { rows } = await client.query<{ status: 'serving' | 'quarantined'; isHidingAny: boolean }>({
    name: 'publication.state',
    text: `SELECT status, EXISTS (SELECT FROM recovery.outstanding_restriction) AS "isHidingAny"
      FROM recovery.publication WHERE incarnation = $1`,
    values: [incarnation],
  });
  return rows[0];
}

/** Refuses reads, writes and sign-ins until an operator recovers the network. The first reason is kept. */
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

import type { ClientBase } from 'pg';

/** Channel of `NOTIFY` that tells when the publication changes. */
export const PUBLICATION_CHANNEL = 'plaza_publication';

/** One generation of read models, in a schema of its own. The id is random, so that no backup can bring it back as another. */
export interface Incarnation {
  readonly incarnation: string;
  readonly schemaName: string;
}

export type Versions = Readonly<Record<string, number>>;

interface Row {
  readonly incarnation: string;
  readonly schema_name: string;
}

/** The published incarnation if it has exactly these versions; else the newest one that has: an unfinished build, most often. */
export async function findIncarnation(
  client: ClientBase,
  versions: Versions,
): Promise<(Incarnation & { readonly isPublished: boolean }) | undefined> {
  const { rows } = await client.query<Row & { is_published: boolean }>(
    `SELECT incarnation, schema_name, publication.singleton IS NOT NULL AS is_published
    FROM recovery.incarnation LEFT JOIN recovery.publication USING (incarnation)
    WHERE versions = $1
    ORDER BY is_published DESC, created_at DESC LIMIT 1`,
    [versions],
  );
  const row = rows[0];
  return (
    row && {
      incarnation: row.incarnation,
      schemaName: row.schema_name,
      isPublished: row.is_published,
    }
  );
}

/** Makes an empty incarnation: schema, tables and row in one transaction. `id`: new, random, of `[a-z0-9]`. */
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
  await client.query('BEGIN');
  try {
    await client.query(
      `INSERT INTO recovery.incarnation (incarnation, schema_name, versions, created_at) VALUES ($1, $2, $3, $4)`,
      [made.incarnation, made.schemaName, options.versions, new Date(options.now)],
    );
    await client.query(`CREATE SCHEMA ${made.schemaName}; SET LOCAL search_path = ${made.schemaName}`);
    for (const ddl of options.tables) await client.query(ddl);
    await client.query('COMMIT');
  } catch (error) {
    await client.query('ROLLBACK');
    throw error;
  }
  return made;
}

/** Drops an incarnation that is not published, with all its tables. */
export async function dropIncarnation(
  client: ClientBase,
  { incarnation, schemaName }: Incarnation,
): Promise<void> {
  await client.query('BEGIN');
  try {
    await client.query('DELETE FROM recovery.incarnation WHERE incarnation = $1', [incarnation]);
    await client.query(`DROP SCHEMA ${schemaName} CASCADE`);
    await client.query('COMMIT');
  } catch (error) {
    await client.query('ROLLBACK');
    throw error;
  }
}

/** Counts what is in the tables of an incarnation, for the planner: without it the first reads would be planned blindly. */
export async function analyzeIncarnation(client: ClientBase, { schemaName }: Incarnation): Promise<void> {
  const { rows } = await client.query<{ tables: string | null }>(
    `SELECT string_agg(format('%I.%I', schemaname, tablename), ', ') AS tables
    FROM pg_tables WHERE schemaname = $1`,
    [schemaName],
  );
  if (rows[0]?.tables) await client.query(`ANALYZE ${rows[0].tables}`);
}

/**
 * Lets reads see an incarnation, instead of `instead` (undefined: of none). False: the publication is not what it was,
 * or is quarantined, and nothing was changed.
 */
export async function publish(
  client: ClientBase,
  incarnation: string,
  networkId: string,
  instead: string | undefined,
): Promise<boolean> {
  const { rowCount } = await client.query(
    `WITH published AS (
      INSERT INTO recovery.publication (incarnation, status, network_id) VALUES ($1, 'serving', $2)
      ON CONFLICT (singleton) DO UPDATE SET incarnation = excluded.incarnation
        WHERE publication.incarnation = $3 AND publication.status = 'serving'
      RETURNING incarnation
    )
    SELECT pg_notify('${PUBLICATION_CHANNEL}', incarnation) FROM published`,
    [incarnation, networkId, instead ?? null],
  );
  return rowCount === 1;
}

/** Refuses protected reads from now on, for this reason, until an operator recovers. The first reason stands. */
export async function quarantine(client: ClientBase, incarnation: string, reason: string): Promise<void> {
  await client.query(
    `WITH quarantined AS (
      UPDATE recovery.publication SET status = 'quarantined', reason = $2
      WHERE incarnation = $1 AND status = 'serving'
      RETURNING incarnation
    )
    SELECT pg_notify('${PUBLICATION_CHANNEL}', incarnation) FROM quarantined`,
    [incarnation, reason],
  );
}

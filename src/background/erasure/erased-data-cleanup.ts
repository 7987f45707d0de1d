import type { Pool } from 'pg';
import { ReadModels } from '../../commands/account/read-models.js';

interface Row {
  readonly schema_name: string;
  readonly is_published: boolean;
  readonly shows: boolean;
}

/** Posts that one statement updates and so locks: few, because the build of an incarnation may wait to write them. */
const BATCH = 1_000;

/**
 * Tells whether the published incarnation has applied an erasure, and removes the data of the person from those that
 * are not published.
 */
export class ErasedDataCleanup extends ReadModels {
  constructor(private readonly pool: Pool) {
    super();
  }

  async finishErasure(actorId: string, position: bigint): Promise<boolean> {
    const { rows } = await this.pool.query<Row>(
      `SELECT schema_name, publication.singleton IS NOT NULL AS is_published,
        coalesce(applied_position >= $1::numeric, false) AS shows
      FROM recovery.incarnation LEFT JOIN recovery.publication USING (incarnation)`,
      [String(position)],
    );
    for (const { schema_name: schema, is_published: isPublished, shows } of rows)
      if (!shows && !isPublished) await this.clear(schema, actorId);
    return rows.every(({ is_published: isPublished, shows }) => shows || !isPublished);
  }

  /**
   * Removes the data of an erased person from an incarnation that no worker updates, or that has not applied the
   * erasure yet. Events that are applied later bring nothing back: the key of their texts is destroyed. Incarnations
   * of every version have the tables `actor` and `post`.
   */
  private async clear(schema: string, actorId: string): Promise<void> {
    const { rows } = await this.pool.query<{ there: boolean }>(
      `SELECT to_regclass($1) IS NOT NULL AND to_regclass($2) IS NOT NULL AS there`,
      [`${schema}.actor`, `${schema}.post`],
    );
    if (!rows[0]?.there) return;
    await this.pool.query(
      `UPDATE ${schema}.actor SET handle = NULL, display_name = '', bio = '', website = ''
      WHERE actor_id = $1 AND (handle IS NOT NULL OR display_name <> '' OR bio <> '' OR website <> '')`,
      [actorId],
    );
    for (const status of ["status = 'published'", "status NOT IN ('published', 'deleted')"])
      for (let cleared = BATCH; cleared === BATCH;) {
        const { rowCount } = await this.pool.query(
          `UPDATE ${schema}.post SET status = 'deleted', text = '' WHERE ctid = ANY (ARRAY (
            SELECT ctid FROM ${schema}.post WHERE author_actor_id = $1 AND ${status}
            LIMIT ${BATCH} FOR UPDATE SKIP LOCKED))`,
          [actorId],
        );
        cleared = rowCount ?? 0;
      }
  }
}

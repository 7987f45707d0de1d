import type { ClientBase, Pool } from 'pg';

/** `from`, `until`: Unix milliseconds, inclusive and exclusive. */
export interface ApplicationWindow {
  readonly appId: string;
  readonly from: number;
  readonly until: number;
}

/**
 * Returns the ids of the posts that an application created in a window and that everybody may see now, in order; any `limit`
 * of them if there are more. `schema`: of the published read models.
 */
export async function visiblePostsOf(
  database: Pool | ClientBase,
  schema: string,
  { appId, from, until }: ApplicationWindow,
  limit: number,
): Promise<readonly string[]> {
  const { rows } = await database.query<{ id: string }>(
    `SELECT id FROM (
      SELECT post.id
      FROM audit.about JOIN audit.event USING (position) JOIN "${schema}".post ON post.id = event.subject ->> 'postId'
      WHERE about.kind = 'app' AND about.id = $1 AND about.at >= $2 AND about.at < $3
        AND event.type = 'post.created' AND post.status = 'published'
      LIMIT $4
    ) found ORDER BY id COLLATE "C"`,
    [appId, from, until, limit],
  );
  return rows.map(({ id }) => id);
}

/** Returns the position of the newest event that changed who may see a post. Undefined: none. */
export async function newestPostChange(database: Pool | ClientBase): Promise<bigint | undefined> {
  const { rows } = await database.query<{ position: string | null }>(
    `SELECT max(newest.position)::text AS position
    FROM unnest(ARRAY['post.created', 'post.restricted', 'post.unrestricted', 'post.deleted']) AS wanted(type)
      CROSS JOIN LATERAL (
        SELECT position FROM audit.event WHERE event.type = wanted.type ORDER BY at DESC, position DESC LIMIT 1
      ) AS newest`,
  );
  const position = rows[0]?.position;
  return position === null || position === undefined ? undefined : BigInt(position);
}

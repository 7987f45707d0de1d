import type { Pool } from 'pg';

/** The position of the newest event that a group with tables of its own has applied. Undefined: it has none yet. */
export async function groupPosition(pool: Pool, name: string): Promise<bigint | undefined> {
  const { rows } = await pool.query<{ position: string | null }>(
    'SELECT applied_position::text AS position FROM recovery.checkpoint WHERE group_name = $1',
    [name],
  );
  const position = rows[0]?.position;
  return position == null ? undefined : BigInt(position);
}

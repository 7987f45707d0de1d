import type { Pool } from 'pg';

/** The newest event up to a position, with its time in Unix milliseconds. Undefined: none is so old. */
export async function eventAtOrBefore(
  pool: Pool,
  position: bigint,
): Promise<{ readonly position: bigint; readonly eventId: string; readonly at: number } | undefined> {
  const { rows } = await pool.query<{ position: string; event_id: string; at: string }>(
    `SELECT position::text, event_id, at FROM audit.event WHERE position <= $1::numeric
    ORDER BY event.position DESC LIMIT 1`,
    [String(position)],
  );
  const [row] = rows;
  return row && { position: BigInt(row.position), eventId: row.event_id, at: Number(row.at) };
}

/**
 * Fills the current segment of the write-ahead log, so that the next checkpoint needs no older segment. The checkpoint
 * takes ten minutes at most (`checkpoint_timeout`, and as much again to write). Postgres then removes these segments if
 * `wal_recycle` is off; otherwise it overwrites them at some time.
 */
export async function fillWalSegment(database: { query(text: string): Promise<unknown> }): Promise<void> {
  await database.query(`
    SELECT pg_logical_emit_message(false, 'plaza', repeat(' ', setting::int))
    FROM pg_settings WHERE name = 'wal_segment_size'`);
}

/**
 * Fills the current segment of the write-ahead log, so that the next checkpoint no longer needs this and older
 * segments, which may hold erased data. The checkpoint follows within ten minutes (`checkpoint_timeout`, and as much
 * again to write). It removes these segments if `wal_recycle` is off; otherwise Postgres overwrites them at some
 * later time.
 */
export async function fillWalSegment(database: { query(text: string): Promise<unknown> }): Promise<void> {
  await database.query(`
    SELECT pg_logical_emit_message(false, 'plaza', repeat(' ', setting::int))
    FROM pg_settings WHERE name = 'wal_segment_size'`);
}

/**
 * Fills the segment of the write-ahead log in which Postgres is writing, so that neither it nor one before it is needed after
 * the next checkpoint, ten minutes later at most (`checkpoint_timeout` and as much again to write it all). Where `wal_recycle`
 * is off, Postgres then removes them; else they are overwritten some time.
 */
export async function leaveJournal(database: { query(text: string): Promise<unknown> }): Promise<void> {
  await database.query(`
    SELECT pg_logical_emit_message(false, 'plaza', repeat(' ', setting::int))
    FROM pg_settings WHERE name = 'wal_segment_size'`);
}

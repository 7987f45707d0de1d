import type { Statement } from '../runner/projection.js';

/** Owner of a `reset` for every caller. No identifier has this form. */
export const FOR_EVERYBODY = '*';

/**
 * A change, for the callers of its `audience`. `author`: the owner, the owner's followers and anonymous callers.
 * `owner`: the owner alone. `everybody`: every caller. `seq` orders the changes of one position, which events of one
 * append share. `at`: Unix milliseconds.
 */
export interface FeedChange {
  readonly position: string;
  readonly seq: string;
  readonly owner_actor_id: string;
  readonly audience: 'author' | 'owner' | 'everybody';
  readonly kind: string;
  readonly at: number;
  readonly actor_id: string;
  readonly post_id?: string;
  readonly relation_kind?: string;
  readonly target_id?: string;
  readonly target_actor_id?: string;
  readonly generation?: number;
}

const HOUR_MS = 3_600_000;
/** Hours of changes that the feed keeps, counted by the timestamps of events, not by the clock of the worker. */
export const FEED_RETENTION_HOURS = 7 * 24;

const DELETION_LIMIT = { perRow: 2, perCall: 1_000 };

const ADVANCE_WINDOW = `
    WITH row AS MATERIALIZED (
      SELECT * FROM json_to_recordset($1) AS row(position numeric, seq numeric, owner_actor_id text, audience text,
        kind text, at bigint, actor_id text, post_id text, relation_kind text, target_id text, target_actor_id text,
        generation integer)
    ), known AS MATERIALIZED (
      SELECT hour, min(position) AS position
      FROM (SELECT hour, position FROM feed_hour UNION ALL SELECT at / ${HOUR_MS}, position FROM row) AS each
      GROUP BY hour
    ), newest AS MATERIALIZED (
      SELECT max(hour) AS hour FROM known
    ), edge AS MATERIALIZED (
      SELECT min(known.position) AS position FROM known, newest WHERE known.hour > newest.hour - ${FEED_RETENTION_HOURS}
    ), begun AS (
      INSERT INTO feed_hour (hour, position)
      SELECT known.hour, known.position FROM known, newest WHERE known.hour > newest.hour - ${FEED_RETENTION_HOURS}
        AND NOT EXISTS (SELECT FROM feed_hour WHERE feed_hour.hour = known.hour)
      ON CONFLICT (hour) DO NOTHING
    ), ended AS (
      DELETE FROM feed_hour USING newest WHERE feed_hour.hour <= newest.hour - ${FEED_RETENTION_HOURS}
    ), moved AS (
      UPDATE feed_window SET begins = edge.position FROM edge
      WHERE feed_window.begins < edge.position
        AND EXISTS (SELECT FROM known, newest WHERE known.hour <= newest.hour - ${FEED_RETENTION_HOURS})
    )`;

const INSERT_ROWS = `
    INSERT INTO change (position, seq, owner_actor_id, audience, kind, at, actor_id, post_id, relation_kind, target_id,
      target_actor_id, generation)
    SELECT row.position, seq, owner_actor_id, audience, kind, at, actor_id, post_id, relation_kind, target_id,
      target_actor_id, generation
    FROM row, edge WHERE row.position >= edge.position`;

/**
 * Adds changes and deletes some expired ones. The window starts at the first event of the oldest retained hour, so it
 * depends on events alone. Later changes stay even if their timestamps are out of order, so that no gaps arise. Reads
 * never go behind the window, so expired rows may be deleted bit by bit.
 *
 * A build inserts each change once. It creates the key at its end, so expired rows cannot be looked up before;
 * {@link DELETE_EXPIRED_CHANGES} deletes them.
 */
export const addChange: Statement<FeedChange> = {
  name: 'change.add',
  table: 'change',
  key: ({ position, seq }) => `${position}.${seq}`,
  bulkSql: `${ADVANCE_WINDOW}
    ${INSERT_ROWS}`,
  sql: `${ADVANCE_WINDOW}, dropped AS (
      DELETE FROM change WHERE ctid = ANY (ARRAY (
        SELECT old.ctid FROM change old WHERE old.position < (SELECT position FROM edge)
        ORDER BY old.position LIMIT ${DELETION_LIMIT.perCall} + ${DELETION_LIMIT.perRow} * (SELECT count(*) FROM row)))
    )
    ${INSERT_ROWS}
    ON CONFLICT (position, seq) DO NOTHING`,
};

/**
 * Deletes expired changes at the end of a build. Copies the retained week and truncates the table, because the log may
 * span many years and truncation frees the disk space.
 */
export const DELETE_EXPIRED_CHANGES = `
    DO $$ BEGIN
      IF EXISTS (SELECT FROM change, feed_window WHERE change.position < feed_window.begins) THEN
        CREATE TEMPORARY TABLE kept ON COMMIT DROP AS
          SELECT change.* FROM change, feed_window WHERE change.position >= feed_window.begins;
        TRUNCATE change;
        INSERT INTO change SELECT * FROM kept ORDER BY position, seq;
      END IF;
    END $$`;

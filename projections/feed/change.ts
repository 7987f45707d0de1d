import type { Statement } from '../runner/projection.js';

/** Whose `reset` is everybody's. No identifier is spelled so. */
export const EVERYBODY = '*';

/**
 * One thing that changed for those who may see it. `audience`: `author` for the owner, the owner's followers and
 * anonymous callers; `owner` for the owner alone; `everybody`.
 */
export interface Change {
  readonly position: string;
  /** Unique beside the position, and in order: events of one append may share that. */
  readonly seq: string;
  readonly owner_actor_id: string;
  readonly audience: 'author' | 'owner' | 'everybody';
  readonly kind: string;
  /** Unix milliseconds. */
  readonly at: number;
  readonly actor_id: string;
  readonly post_id?: string;
  readonly relation_kind?: string;
  readonly target_id?: string;
  readonly target_actor_id?: string;
  readonly generation?: number;
}

const HOUR_MS = 3_600_000;
/** How long changes are kept: a week of the time that events tell, whatever any clock says when they are applied. */
export const RETAINED_HOURS = 7 * 24;

/** Most changes that are dropped beside each that is added, and beside none. */
const DROPPED = { each: 2, least: 1_000 };

/** Of the changes in `row`, and all before: the first event of each hour that is kept, and where the window begins. */
const WINDOW = `
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
      SELECT min(known.position) AS position FROM known, newest WHERE known.hour > newest.hour - ${RETAINED_HOURS}
    ), begun AS (
      INSERT INTO feed_hour (hour, position)
      SELECT known.hour, known.position FROM known, newest WHERE known.hour > newest.hour - ${RETAINED_HOURS}
      ON CONFLICT (hour) DO NOTHING
    ), ended AS (
      DELETE FROM feed_hour USING newest WHERE feed_hour.hour <= newest.hour - ${RETAINED_HOURS}
    ), moved AS (
      UPDATE feed_window SET begins = edge.position FROM edge
      WHERE feed_window.begins < edge.position
        AND EXISTS (SELECT FROM known, newest WHERE known.hour <= newest.hour - ${RETAINED_HOURS})
    )`;

const INSERT = `
    INSERT INTO change (position, seq, owner_actor_id, audience, kind, at, actor_id, post_id, relation_kind, target_id,
      target_actor_id, generation)
    SELECT row.position, seq, owner_actor_id, audience, kind, at, actor_id, post_id, relation_kind, target_id,
      target_actor_id, generation
    FROM row, edge WHERE row.position >= edge.position`;

/**
 * Adds changes, and drops some of what is too old: where the window begins follows from the events alone, at the first
 * event of the oldest hour that is kept. Later ones stay even where their time is out of line, so that there are no gaps.
 * Nobody reads what is before the window, so it may go bit by bit, and how much of it is left is of no account.
 *
 * In a build each comes once and the key is made at the end, so there is nothing yet to find any by: what is too old goes
 * then ({@link DROP_OLD}).
 */
export const add: Statement<Change> = {
  name: 'change.add',
  table: 'change',
  key: ({ position, seq }) => `${position}.${seq}`,
  bulkSql: `${WINDOW}
    ${INSERT}`,
  sql: `${WINDOW}, dropped AS (
      DELETE FROM change WHERE ctid = ANY (ARRAY (
        SELECT old.ctid FROM change old WHERE old.position < (SELECT position FROM edge)
        ORDER BY old.position LIMIT ${DROPPED.least} + ${DROPPED.each} * (SELECT count(*) FROM row)))
    )
    ${INSERT}
    ON CONFLICT (position, seq) DO NOTHING`,
};

/** By what is kept, a week of perhaps many years: the rest is gone at once, and its place on the disk. */
export const DROP_OLD = `
    DO $$ BEGIN
      IF EXISTS (SELECT FROM change, feed_window WHERE change.position < feed_window.begins) THEN
        CREATE TEMPORARY TABLE kept ON COMMIT DROP AS
          SELECT change.* FROM change, feed_window WHERE change.position >= feed_window.begins;
        TRUNCATE change;
        INSERT INTO change SELECT * FROM kept ORDER BY position, seq;
      END IF;
    END $$`;

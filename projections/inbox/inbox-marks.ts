import type { Statement } from '../runner/projection.js';
import { markedAt } from './inbox.sql.js';

interface ReadMark {
  readonly actor_id: string;
  readonly at: number;
  readonly position: string;
}

/** One key for each inbox keeps its writes in order: a mark as read applies to the entries added before it. */
export const keyOfRecipient = ({ actor_id }: { readonly actor_id: string }) => actor_id;

// Looks entries up by primary key. A condition on `read_at IS NULL` would make Postgres scan the index of unread
// entries for each id.
export const markRead: Statement<ReadMark & { readonly ids: readonly string[] }> = {
  name: 'inbox.mark',
  table: 'inbox',
  key: keyOfRecipient,
  sql: `
    UPDATE inbox SET read_at = coalesce(inbox.read_at, ${markedAt('inbox')}, row.at)
    FROM (
      SELECT actor_id, at, position, unnest(ids) AS id
      FROM json_to_recordset($1) AS row(actor_id text, ids text[], at bigint, position numeric)
    ) row
    WHERE inbox.actor_id = row.actor_id AND inbox.id = row.id AND inbox.position < row.position`,
};

const rows = 'json_to_recordset($1) AS row(actor_id text, up_to bigint, at bigint, position numeric)';

const isCovered = (mark: string): string => `
      inbox.actor_id = ${mark}.actor_id AND inbox.read_at IS NULL AND inbox.position < ${mark}.position
      AND inbox.created_at <= ${mark}.up_to`;

/**
 * Marks the entries up to a time. If they are more than those of a step, the mark is a row that reads ask for, and steps
 * apply it ({@link settleMarks}); so are those that follow before that is done, since the first mark says when an entry
 * was read.
 */
export const markReadUpTo = (stepSize: number): Statement<ReadMark & { readonly up_to: number }> => ({
  name: 'inbox.mark-up-to',
  table: 'inbox',
  key: keyOfRecipient,
  bulkSql: `
    UPDATE inbox SET read_at = row.at FROM ${rows} WHERE ${isCovered('row')}`,
  sql: `
    WITH row AS MATERIALIZED (
      SELECT row.*, EXISTS (SELECT FROM inbox_mark WHERE inbox_mark.actor_id = row.actor_id) OR (
        SELECT count(*) > ${stepSize} FROM (SELECT FROM inbox WHERE ${isCovered('row')} LIMIT ${stepSize} + 1) covered) AS is_long
      FROM ${rows}
    ), later AS (
      INSERT INTO inbox_mark (actor_id, position, up_to, at) SELECT actor_id, position, up_to, at FROM row WHERE is_long
      ON CONFLICT DO NOTHING
    )
    UPDATE inbox SET read_at = row.at FROM row WHERE NOT row.is_long AND ${isCovered('row')}`,
});

/** Applies the next part of the oldest mark, and removes the mark behind its last entry. */
export const settleMarks = (stepSize: number): string => `
    WITH mark AS MATERIALIZED (
      SELECT * FROM inbox_mark ORDER BY position LIMIT 1
    ), applied AS (
      UPDATE inbox SET read_at = mark.at FROM mark
      WHERE inbox.ctid = ANY (ARRAY (
        SELECT entry.ctid FROM mark CROSS JOIN LATERAL (
          SELECT inbox.ctid FROM inbox WHERE ${isCovered('mark')} ORDER BY inbox.position LIMIT ${stepSize}) entry))
      RETURNING 1
    ), finished AS (
      DELETE FROM inbox_mark USING mark
      WHERE inbox_mark.actor_id = mark.actor_id AND inbox_mark.position = mark.position
        AND (SELECT count(*) FROM applied) < ${stepSize}
    )
    SELECT EXISTS (SELECT FROM mark) AS more`;

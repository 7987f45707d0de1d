import { isHidden, subjectKeys } from '../outstanding.sql.js';
import type { InboxEntry } from './inbox-entry.js';
import { isActorVisible, isPublished } from '../visibility.sql.js';

/**
 * The single rule of an entry's visibility to its owner. Its source actor and post must be visible, and a follow or
 * like must still be active.
 */
export function isEntryVisible(schema: string, entry: string): string {
  const isActive = `EXISTS (
    SELECT FROM ${schema}.relation
    WHERE relation.actor_id = ${entry}.source_actor_id AND relation.kind = ${entry}.kind
      AND relation.target_id = CASE ${entry}.kind WHEN 'like' THEN ${entry}.source_id ELSE ${entry}.actor_id END
    OFFSET 0)`;
  // The post's author is the source actor or the caller, so only the post itself needs a check.
  const isPostShown = `EXISTS (
    SELECT FROM ${schema}.post source WHERE source.id = ${entry}.source_id AND ${isPublished('source')}
      AND NOT ${isHidden(subjectKeys.post('source.id'))} OFFSET 0)`;
  return `${isActorVisible(schema, `${entry}.source_actor_id`)}
    AND (${entry}.kind = 'follow' OR ${isPostShown})
    AND (${entry}.kind IN ('reply', 'mention') OR ${isActive})`;
}

/**
 * The time of the first mark that covers an entry and that steps have not applied yet (inbox-marks.ts). Null: none. Most of
 * the time nobody has a mark, which is found out once and not for each entry. Without `schema`: in the search path.
 */
export function markedAt(entry: string, schema?: string): string {
  const marks = schema === undefined ? 'inbox_mark' : `${schema}.inbox_mark`;
  return `CASE WHEN (SELECT true FROM ${marks} LIMIT 1) THEN (
    SELECT mark.at FROM ${marks} mark
    WHERE mark.actor_id = ${entry}.actor_id AND mark.position > ${entry}.position AND mark.up_to >= ${entry}.created_at
    ORDER BY mark.position LIMIT 1) END`;
}

/** The rows of the table `inbox`, with each entry as read that a mark covers. */
export const entriesOf = (schema: string): string => `(
    SELECT inbox.actor_id, inbox.id, inbox.kind, inbox.source_actor_id, inbox.source_id, inbox.created_at, inbox.position,
      coalesce(inbox.read_at, ${markedAt('inbox', schema)}) AS read_at
    FROM ${schema}.inbox)`;

export interface EntryRow extends Omit<InboxEntry, 'readAt'> {
  readonly readAt: number | null;
}

export const entryColumns = (entry: string): Readonly<Record<keyof EntryRow, string>> => ({
  id: `${entry}.id`,
  kind: `${entry}.kind`,
  sourceActorId: `${entry}.source_actor_id`,
  sourceId: `${entry}.source_id`,
  createdAt: `${entry}.created_at`,
  readAt: `${entry}.read_at`,
});

export const presentEntry = ({ readAt, ...entry }: EntryRow): InboxEntry =>
  readAt === null ? entry : { ...entry, readAt };

export const MAX_COUNTED_UNREAD = 1_000;

/**
 * While steps apply a mark, its entries stand behind those that it does not cover: these came later, but for the minute
 * by which clocks may differ. So twice the maximum suffices, however many entries the mark covers.
 *
 * `judged`: a relation of entries (`position`, `is_visible`) whose visibility is known already, or undefined.
 */
export function unreadCount(schema: string, judged?: string): string {
  const isVisible = isEntryVisible(schema, 'entry');
  return `(
  SELECT count(*) FROM (
    SELECT * FROM (
      SELECT * FROM ${schema}.inbox WHERE inbox.actor_id = caller.actor_id AND inbox.read_at IS NULL
      ORDER BY inbox.position DESC LIMIT ${2 * MAX_COUNTED_UNREAD}
    ) newest
    WHERE ${markedAt('newest', schema)} IS NULL
    ORDER BY newest.position DESC LIMIT ${MAX_COUNTED_UNREAD}
  ) entry ${
    judged === undefined
      ? `WHERE ${isVisible}`
      : `LEFT JOIN ${judged} judged USING (position)
  WHERE CASE WHEN judged.is_visible IS NULL THEN ${isVisible} ELSE judged.is_visible END`
  })`;
}

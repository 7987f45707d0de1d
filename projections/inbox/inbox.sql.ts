import { isHidden, subjects } from '../outstanding.sql.js';
import { isActorVisible, isPublished } from '../visibility.sql.js';

/**
 * Whether the row of `inbox` under this alias, which is the caller's, is to be shown to the caller: who did it can be
 * seen, and so can the post that it is about; a follow or a like still stands. The one place of that rule.
 */
export function isEntryShown(schema: string, entry: string): string {
  const stands = `EXISTS (
    SELECT FROM ${schema}.relation
    WHERE relation.actor_id = ${entry}.source_actor_id AND relation.kind = ${entry}.kind
      AND relation.target_id = CASE ${entry}.kind WHEN 'like' THEN ${entry}.source_id ELSE ${entry}.actor_id END
    OFFSET 0)`;
  // Its author is who did it, or the caller: seen either way.
  const isThere = `EXISTS (
    SELECT FROM ${schema}.post source WHERE source.id = ${entry}.source_id AND ${isPublished('source')}
      AND NOT ${isHidden(subjects.post('source.id'))} OFFSET 0)`;
  return `${isActorVisible(schema, `${entry}.source_actor_id`)}
    AND (${entry}.kind = 'follow' OR ${isThere})
    AND (${entry}.kind IN ('reply', 'mention') OR ${stands})`;
}

/** The row of `inbox` under this alias as the published Inbox entry. */
export const entryJson = (entry: string): string => `json_strip_nulls(json_build_object(
  'id', ${entry}.id, 'kind', ${entry}.kind, 'sourceActorId', ${entry}.source_actor_id,
  'sourceId', ${entry}.source_id, 'createdAt', ${entry}.created_at, 'readAt', ${entry}.read_at))`;

/** How far unread entries are counted: each has to be looked at. */
export const MOST_COUNTED = 1_000;

/** How many of the newest unread entries, {@link MOST_COUNTED} of them at the most, would be shown to the caller. */
export const unreadCount = (schema: string): string => `(
  SELECT count(*) FROM (
    SELECT * FROM ${schema}.inbox
    WHERE inbox.actor_id = caller.actor_id AND inbox.read_at IS NULL
    ORDER BY inbox.position DESC LIMIT ${MOST_COUNTED}
  ) entry
  WHERE ${isEntryShown(schema, 'entry')})`;

/** SQL about what changed since a cursor, for deltas and feeds. Each is a condition; `cursor` is a numeric expression. */
import { isFollowed } from '../relations/relation.sql.js';
import { isPublished } from '../visibility.sql.js';
import { EVERYBODY } from './change.js';

/** The cursor of what is shown now: at an incarnation's beginning the first of its own, so that it need not begin again. */
export const NOW = 'greatest(coalesce(state.applied_position, 0), state.cursors_valid_from)';

/**
 * Whether everything that changed since the cursor can be told: it was handed out by this incarnation, is not ahead of
 * the log, and nothing behind it was dropped.
 */
export function isCovered(schema: string, cursor: string): string {
  return `(${cursor} >= state.cursors_valid_from AND ${cursor} <= ${NOW}
    AND ${cursor} + 1 >= (SELECT begins FROM ${schema}.feed_window))`;
}

/** Whether something left the caller's view since, or came back to it, that no change of the caller's says. */
export function wasReset(schema: string, cursor: string): string {
  return `EXISTS (
    SELECT FROM ${schema}.change
    WHERE change.owner_actor_id IN (caller.actor_id, '${EVERYBODY}') AND change.kind = 'reset'
      AND change.position > ${cursor})`;
}

/** Whether posts of `author` are in the caller's view; everybody's are in that of an anonymous caller. */
export function isInView(schema: string, author: string): string {
  return `(caller.actor_id IS NULL OR ${author} = caller.actor_id OR ${isFollowed(schema, author)})`;
}

/**
 * Whether the post of the `change` under this alias, a deletion, was one that the caller may keep in some way: in the
 * view, liked, or as what an inbox entry is about.
 */
export function isMissed(schema: string, change: string): string {
  return `(${isInView(schema, `${change}.owner_actor_id`)}
    OR EXISTS (
      SELECT FROM ${schema}.relation liked
      WHERE liked.actor_id = caller.actor_id AND liked.kind = 'like' AND liked.target_id = ${change}.post_id
      OFFSET 0)
    OR EXISTS (
      SELECT FROM ${schema}.inbox told
      WHERE told.actor_id = caller.actor_id AND told.source_id = ${change}.post_id
        AND told.kind IN ('reply', 'mention')
      OFFSET 0))`;
}

/** How many replies to one deleted post are looked at: where there are more, some are taken to be in view. */
const MOST_REPLIES = 200;

/** Whether replies in the caller's view have become without parent or root by the deletion under this alias. */
export function leavesReplies(schema: string, change: string): string {
  const repliesBy = (column: string) => `
    SELECT count(*) > ${MOST_REPLIES} OR coalesce(bool_or(${isInView(schema, 'reply.author_actor_id')}), false)
    FROM (
      SELECT reply.author_actor_id FROM ${schema}.post reply
      WHERE reply.${column} = ${change}.post_id AND ${isPublished('reply')} AND reply.${column} IS NOT NULL
      LIMIT ${MOST_REPLIES + 1}
    ) reply`;
  return `((${repliesBy('parent_id')}) OR (${repliesBy('root_id')}))`;
}

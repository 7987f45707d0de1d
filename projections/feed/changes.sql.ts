import { isFollowedByCaller } from '../relations/relation.sql.js';
import { isPublished } from '../visibility.sql.js';
import { FOR_EVERYBODY } from './change.js';

/**
 * SQL of the cursor that a page of the current snapshot returns: its position, or the incarnation's first valid cursor
 * if that is greater.
 */
export const CURRENT_CURSOR = 'greatest(coalesce(state.applied_position, 0), state.cursors_valid_from)';

/**
 * True if all changes since the cursor are available: this incarnation issued it, it is not ahead of the log, and no
 * later change was deleted.
 */
export function areChangesAvailableSince(schema: string, cursor: string): string {
  return `(${cursor} >= state.cursors_valid_from AND ${cursor} <= ${CURRENT_CURSOR}
    AND ${cursor} + 1 >= (SELECT begins FROM ${schema}.feed_window))`;
}

/**
 * True if items left or entered the caller's view since the cursor in a way that no change describes, as after a block.
 */
export function hasResetSince(schema: string, cursor: string): string {
  return `EXISTS (
    SELECT FROM ${schema}.change
    WHERE change.owner_actor_id IN (caller.actor_id, '${FOR_EVERYBODY}') AND change.kind = 'reset'
      AND change.position > ${cursor})`;
}

export function isAuthorInView(schema: string, author: string): string {
  return `(caller.actor_id IS NULL OR ${author} = caller.actor_id OR ${isFollowedByCaller(schema, author)})`;
}

/**
 * True if the caller may hold the post that `change` deletes: in the view, as a like, or as the source of an inbox
 * entry.
 */
export function mayBeHeldByCaller(schema: string, change: string): string {
  return `(${isAuthorInView(schema, `${change}.owner_actor_id`)}
    OR EXISTS (
      SELECT FROM ${schema}.relation liked
      WHERE liked.actor_id = caller.actor_id AND liked.kind = 'like' AND liked.target_id = ${change}.post_id
      OFFSET 0)
    OR EXISTS (
      SELECT FROM ${schema}.inbox entry
      WHERE entry.actor_id = caller.actor_id AND entry.source_id = ${change}.post_id
        AND entry.kind IN ('reply', 'mention')
      OFFSET 0))`;
}

/**
 * Maximum of replies to a deleted post that are checked. A post with more counts as having some in the caller's view.
 */
const MAX_REPLIES = 200;

/**
 * True if replies to the post that `change` deletes are in the caller's view: their parent or root becomes unavailable.
 */
export function orphansReplies(schema: string, change: string): string {
  const repliesBy = (column: string) => `
    SELECT count(*) > ${MAX_REPLIES} OR coalesce(bool_or(${isAuthorInView(schema, 'reply.author_actor_id')}), false)
    FROM (
      SELECT reply.author_actor_id FROM ${schema}.post reply
      WHERE reply.${column} = ${change}.post_id AND ${isPublished('reply')} AND reply.${column} IS NOT NULL
      LIMIT ${MAX_REPLIES + 1}
    ) reply`;
  return `((${repliesBy('parent_id')}) OR (${repliesBy('root_id')}))`;
}

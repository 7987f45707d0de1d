import { isHidden, subjectKeys } from './outstanding.sql.js';

/**
 * Visibility rules of every read, as SQL conditions (docs/api-decisions.md, "A blocks B"). They apply when an answer
 * is made, so they hold whatever rows a read model still has. `actor` and `post` are expressions and aliases of the
 * enclosing query.
 *
 * Each condition looks up one row by its key. OFFSET 0 keeps Postgres from collecting all blocks or suspended accounts
 * first, as it would without statistics of young tables.
 */

/**
 * Rows with an `actor_id`, with what the conditions of this file need of a caller besides. `has_blocks`: the actor blocks
 * somebody or is blocked. Most are not, and then no pair is looked up.
 */
export const asCaller = (schema: string, rows: string): string => `
  SELECT known.*,
    EXISTS (SELECT FROM ${schema}.block WHERE block.actor_id = known.actor_id OFFSET 0)
    OR EXISTS (SELECT FROM ${schema}.block WHERE block.target_actor_id = known.actor_id OFFSET 0) AS has_blocks
  FROM (${rows}) known`;

/** True if either side blocks the other. Never true for an anonymous caller. */
function isBlocked(schema: string, actor: string): string {
  return `CASE WHEN caller.has_blocks THEN
    EXISTS (
      SELECT FROM ${schema}.block
      WHERE block.actor_id = caller.actor_id AND block.target_actor_id = ${actor} OFFSET 0)
    OR EXISTS (
      SELECT FROM ${schema}.block
      WHERE block.actor_id = ${actor} AND block.target_actor_id = caller.actor_id OFFSET 0)
    ELSE false END`;
}

const isInactive = (schema: string, actor: string): string => `EXISTS (
    SELECT FROM ${schema}.actor suspended
    WHERE suspended.actor_id = ${actor} AND suspended.state <> 'active' OFFSET 0)`;

/**
 * True if the caller may see `actor`, which must have an account. `others`: further subjects that must not be hidden.
 */
export const isActorVisible = (schema: string, actor: string, ...others: readonly string[]): string =>
  `NOT ${isInactive(schema, actor)} AND ${isWithinReach(schema, actor, others)}`;

/** The same for a row of the table `actor`. */
export const isAccountVisible = (schema: string, account: string): string =>
  `${account}.state = 'active' AND ${isWithinReach(schema, `${account}.actor_id`, [])}`;

/** True if neither a block nor an outstanding restriction hides `actor` from the caller. */
function isWithinReach(schema: string, actor: string, others: readonly string[]): string {
  const outstanding = [subjectKeys.actor(actor), subjectKeys.pair('caller.actor_id', actor), ...others];
  return `NOT ${isBlocked(schema, actor)} AND NOT ${isHidden(...outstanding)}`;
}

/**
 * SQL condition that a post is published. Skeletons must use exactly this text, because it is the predicate of their
 * partial indexes.
 */
export const isPublished = (post: string): string => `${post}.status = 'published'`;

export function isPostVisible(schema: string, post: string): string {
  const author = `${post}.author_actor_id`;
  return `${isPublished(post)} AND ${isActorVisible(schema, author, subjectKeys.post(`${post}.id`))}`;
}

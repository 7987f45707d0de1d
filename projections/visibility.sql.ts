import { isHidden, subjects } from './outstanding.sql.js';

/**
 * Who sees what, for every read (decisions.md, "A blocks B …"): applied where an answer is made, so that it holds
 * whatever a read model still keeps. SQL conditions; `actor` and `post` are expressions and aliases of the query around.
 *
 * Each is asked of one row at a time, by a key. OFFSET 0 keeps Postgres from gathering all blocks or suspended accounts
 * first, as it does while it has no statistics of young tables.
 */

/** Whether a block stands between the caller and `actor`, whoever of the two set it. Never for an anonymous caller. */
function isBarred(schema: string, actor: string): string {
  return `(
    EXISTS (
      SELECT FROM ${schema}.block
      WHERE block.actor_id = caller.actor_id AND block.target_actor_id = ${actor} OFFSET 0)
    OR EXISTS (
      SELECT FROM ${schema}.block
      WHERE block.actor_id = ${actor} AND block.target_actor_id = caller.actor_id OFFSET 0))`;
}

/** Whether the account of `actor` is suspended: then nobody sees it, nor what it wrote. */
const isSuspended = (schema: string, actor: string): string => `EXISTS (
    SELECT FROM ${schema}.actor suspended
    WHERE suspended.actor_id = ${actor} AND suspended.state <> 'active' OFFSET 0)`;

/** Whether the caller may see `actor`, who is known to have an account. `others`: what must not be hidden, either. */
export function isActorVisible(schema: string, actor: string, ...others: readonly string[]): string {
  const outstanding = [subjects.actor(actor), subjects.pair('caller.actor_id', actor), ...others];
  return `NOT ${isSuspended(schema, actor)} AND NOT ${isBarred(schema, actor)}
    AND NOT ${isHidden(...outstanding)}`;
}

/**
 * Whether the row of `post` under this alias is there to be shown to anybody: what the indexes of skeletons are cut to,
 * and so what a skeleton must ask in these very words.
 */
export const isPublished = (post: string): string => `${post}.status = 'published'`;

/** Whether the caller may see the row of `post` under this alias. The one place of that rule. */
export function isPostVisible(schema: string, post: string): string {
  const author = `${post}.author_actor_id`;
  return `${isPublished(post)} AND ${isActorVisible(schema, author, subjects.post(`${post}.id`))}`;
}

/**
 * CTEs of the changes in the caller's view since the cursor, each of which may use the ones before. `since.position` is
 * the cursor. A delta can only add and update. There is no delta if anything was removed, or if more changed than a
 * view holds.
 */
import { mayBeHeldByCaller, orphansReplies, hasResetSince } from '../feed/changes.sql.js';
import { entriesOf, isEntryVisible } from '../inbox/inbox.sql.js';
import { isRelationVisible } from '../relations/relation.sql.js';
import type { ViewSize } from './full-view.sql.js';

const isOfPost = `change.kind IN ('post.created', 'post.edited')`;

export const changedPosts = (schema: string, { posts }: ViewSize): string => `(
  (SELECT changed.post_id
  FROM since CROSS JOIN (
    SELECT caller.actor_id AS actor_id
    UNION ALL
    SELECT relation.target_actor_id FROM ${schema}.relation
    WHERE relation.actor_id = caller.actor_id AND relation.kind = 'follow'
  ) author
  CROSS JOIN LATERAL (
    SELECT change.post_id FROM ${schema}.change
    WHERE change.owner_actor_id = author.actor_id AND change.audience = 'author' AND ${isOfPost} AND change.position > since.position
    ORDER BY change.position LIMIT ${posts + 1}
  ) changed
  LIMIT ${posts + 1})
  UNION ALL
  (SELECT change.post_id FROM ${schema}.change
  WHERE caller.actor_id IS NULL AND ${isOfPost} AND change.position > (SELECT position FROM since)
  ORDER BY change.position LIMIT ${posts + 1}))`;

export const newRelations = (schema: string, { relations }: ViewSize): string => `(
  SELECT relation.* FROM since
  JOIN ${schema}.change ON change.owner_actor_id = caller.actor_id AND change.audience <> 'author'
    AND change.kind = 'relation.established' AND change.position > since.position
  JOIN ${schema}.relation ON relation.actor_id = caller.actor_id AND relation.kind = change.relation_kind
    AND relation.target_id = change.target_id AND relation.generation = change.generation
  WHERE ${isRelationVisible(schema, 'relation')}
  LIMIT ${relations + 1})`;

/** The caller's entries added or marked as read since the cursor. The time of a mark identifies its entries. */
export const changedEntries = (schema: string, { entries }: ViewSize): string => `(
  SELECT changed.* FROM since
  CROSS JOIN LATERAL (
    SELECT array_agg(change.at) AS times FROM ${schema}.change
    WHERE change.owner_actor_id = caller.actor_id AND change.audience <> 'author'
      AND change.kind = 'inbox.read' AND change.position > since.position
  ) marked
  CROSS JOIN LATERAL (
    SELECT entry.* FROM ${entriesOf(schema)} entry
    WHERE entry.actor_id = caller.actor_id AND entry.position > since.position
    UNION
    SELECT entry.* FROM ${entriesOf(schema)} entry
    WHERE marked.times IS NOT NULL AND entry.actor_id = caller.actor_id AND entry.read_at = ANY (marked.times)
  ) changed
  WHERE ${isEntryVisible(schema, 'changed')}
  LIMIT ${entries + 1})`;

/** True if the caller follows another actor since the cursor: older posts then enter the view. */
export const hasNewFollow = `EXISTS (SELECT FROM new_relation WHERE kind = 'follow')`;

/**
 * Maximum of post deletions since the client's cursor, of all authors, that are checked. With more, the client must
 * load the whole view again.
 */
const MAX_DELETIONS = 500;

export const hasRemovals = (schema: string): string => `(
  ${hasResetSince(schema, 'since.position')}
  OR EXISTS (
    SELECT FROM ${schema}.change
    WHERE change.owner_actor_id = caller.actor_id AND change.audience <> 'author'
      AND change.kind = 'relation.ended' AND change.position > since.position)
  OR (
    SELECT count(*) > ${MAX_DELETIONS}
      OR coalesce(bool_or(${mayBeHeldByCaller(schema, 'deletion')} OR ${orphansReplies(schema, 'deletion')}), false)
    FROM (
      SELECT change.owner_actor_id, change.post_id FROM ${schema}.change
      WHERE change.kind = 'post.deleted' AND change.position > since.position
      ORDER BY change.position LIMIT ${MAX_DELETIONS + 1}
    ) deletion))`;

export const exceedsViewSize = ({ posts, relations, entries }: ViewSize): string => `(
  (SELECT count(*) > ${posts} FROM changed_post)
  OR (SELECT count(*) > ${relations} FROM new_relation)
  OR (SELECT count(*) > ${entries} FROM changed_entry))`;

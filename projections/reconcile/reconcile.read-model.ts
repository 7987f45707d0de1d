import { areChangesAvailableSince, CURRENT_CURSOR } from '../feed/changes.sql.js';
import type { InboxEntry } from '../inbox/inbox-entry.js';
import type { Post } from '../posts/post.js';
import { postsJson, presentPosts } from '../posts/post.sql.js';
import type { PostColumns } from '../posts/post.sql.js';
import type { RelationInView } from '../relations/relation.js';
import type { ReadQuery } from '../runner/read-query.js';
import {
  changedEntries,
  changedPosts,
  hasNewFollow,
  exceedsViewSize,
  newRelations,
  hasRemovals,
} from './delta.sql.js';
import type { ViewSize } from './full-view.sql.js';
import {
  visibleRelations,
  entriesJson,
  publicPosts,
  followedPosts,
  ownPosts,
  relationsJson,
  visibleEntries,
} from './full-view.sql.js';

/**
 * A caller's full view, or its delta; each list newest first. `cursor`: the log position of the view, 0 while the log
 * is empty. `replace`: this is the full view.
 */
export interface View {
  readonly posts: readonly Post[];
  readonly ownPosts: readonly Post[];
  readonly relations: readonly RelationInView[];
  readonly inbox: readonly InboxEntry[];
  readonly cursor: number;
  readonly replace: boolean;
}

interface ViewJson extends Omit<View, 'posts' | 'ownPosts'> {
  readonly posts: PostColumns;
  readonly ownPosts: PostColumns;
}

/**
 * The delta since the cursor of an earlier view, or the full view (docs/api-decisions.md, "Reconcile"). An undefined
 * cursor returns the full view.
 */
export const reconcileWithin = (
  size: ViewSize,
): ReadQuery<{ readonly cursor: number | undefined }, View> => ({
  name: 'reconcile',
  values: ({ cursor }) => [cursor === undefined ? null : String(cursor)],
  sql: ({ schema, parameter }) => {
    const changedBy = (condition: string) => `(
      SELECT post.id AS post_id, post.position FROM ${schema}.post
      WHERE post.id IN (SELECT post_id FROM changed_post) AND ${condition})`;
    const changed = `(
      SELECT * FROM ${changedBy('true')} changed
      UNION
      SELECT * FROM ${followedPosts(schema, size)} newest WHERE ${hasNewFollow})`;
    const posts = (skeleton: string) => postsJson(schema, skeleton, 'DESC');
    const deltaOrFull = (delta: string, full: string) =>
      `CASE WHEN view.is_delta THEN ${delta} ELSE ${full} END`;
    // Outstanding restrictions (`state.hidden`) have no change yet, so the delta would miss them.
    return `(
    WITH since AS MATERIALIZED (
      SELECT ${parameter(1)}::numeric AS position
      WHERE state.hidden IS NULL AND ${areChangesAvailableSince(schema, `${parameter(1)}::numeric`)}
    ), changed_post AS MATERIALIZED ${changedPosts(schema, size)},
    new_relation AS MATERIALIZED ${newRelations(schema, size)},
    changed_entry AS MATERIALIZED ${changedEntries(schema, size)},
    view AS MATERIALIZED (
      SELECT coalesce((SELECT NOT ${hasRemovals(schema)} AND NOT ${exceedsViewSize(size)} FROM since), false)
        AS is_delta
    )
    SELECT json_build_object(
      'posts', ${deltaOrFull(
        posts(changed),
        `CASE WHEN caller.actor_id IS NULL THEN ${posts(publicPosts(schema, size))}
          ELSE ${posts(followedPosts(schema, size))} END`,
      )},
      'ownPosts', ${deltaOrFull(
        posts(changedBy('post.author_actor_id = caller.actor_id')),
        posts(ownPosts(schema, size)),
      )},
      'relations', ${deltaOrFull(relationsJson('new_relation'), relationsJson(visibleRelations(schema, size)))},
      'inbox', ${deltaOrFull(entriesJson('changed_entry'), entriesJson(visibleEntries(schema, size)))},
      'cursor', ${CURRENT_CURSOR},
      'replace', NOT view.is_delta)
    FROM view)`;
  },
  present(json) {
    const view = json as ViewJson;
    return { ...view, posts: presentPosts(view.posts), ownPosts: presentPosts(view.ownPosts) };
  },
});

export const reconcile = reconcileWithin({ posts: 100, relations: 1_000, entries: 100 });

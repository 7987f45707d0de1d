import { areChangesAvailableSince, CURRENT_CURSOR } from '../feed/changes.sql.js';
import type { InboxEntry } from '../inbox/inbox-entry.js';
import { presentEntry } from '../inbox/inbox.sql.js';
import type { EntryRow } from '../inbox/inbox.sql.js';
import type { Post } from '../posts/post.js';
import { postsJson, postWithId, presentPosts } from '../posts/post.sql.js';
import type { PostColumns } from '../posts/post.sql.js';
import type { RelationInView } from '../relations/relation.js';
import { rowsOf } from '../runner/columns.js';
import type { Columns } from '../runner/columns.js';
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

interface ViewJson extends Pick<View, 'cursor' | 'replace'> {
  readonly posts: PostColumns;
  readonly ownPosts: PostColumns;
  readonly relations: Columns<RelationInView>;
  readonly inbox: Columns<EntryRow>;
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
      SELECT changed.* FROM (SELECT DISTINCT post_id FROM changed_post) named
      CROSS JOIN LATERAL ${postWithId(schema, 'named.post_id')} changed
      WHERE ${condition})`;
    const when = (condition: string, rows: string) => `SELECT * FROM ${rows} listed WHERE ${condition}`;
    const deltaOrFull = (delta: string, full: string) =>
      `(${when('view.is_delta', delta)} UNION ALL ${when('NOT view.is_delta', full)})`;
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
      'posts', ${postsJson(
        schema,
        `((${when('view.is_delta', changedBy('true'))}
          UNION ${when(`caller.actor_id IS NOT NULL AND (NOT view.is_delta OR ${hasNewFollow})`, followedPosts(schema, size))})
          UNION ALL ${when('caller.actor_id IS NULL AND NOT view.is_delta', publicPosts(schema, size))})`,
        'DESC',
      )},
      'ownPosts', ${postsJson(
        schema,
        deltaOrFull(changedBy('changed.author_actor_id = caller.actor_id'), ownPosts(schema, size)),
        'DESC',
      )},
      'relations', ${relationsJson(deltaOrFull('new_relation', visibleRelations(schema, size)))},
      'inbox', ${entriesJson(deltaOrFull('changed_entry', visibleEntries(schema, size)))},
      'cursor', ${CURRENT_CURSOR},
      'replace', NOT view.is_delta)
    FROM view)`;
  },
  present(json) {
    const view = json as ViewJson;
    return {
      ...view,
      posts: presentPosts(view.posts),
      ownPosts: presentPosts(view.ownPosts),
      relations: rowsOf(view.relations),
      inbox: rowsOf(view.inbox).map(presentEntry),
    };
  },
});

export const reconcile = reconcileWithin({ posts: 100, relations: 1_000, entries: 100 });

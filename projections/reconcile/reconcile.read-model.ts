import { isCovered, NOW } from '../feed/changes.sql.js';
import type { InboxEntry } from '../inbox/entry.js';
import type { Post } from '../posts/post.js';
import { postsJson, presentPosts } from '../posts/post.sql.js';
import type { PostColumns } from '../posts/post.sql.js';
import type { RelationInView } from '../relations/relation.js';
import type { ReadQuery } from '../runner/read-query.js';
import {
  changedEntries,
  changedPosts,
  followsMore,
  hasTooMuchChanged,
  newRelations,
  wasAnythingRemoved,
} from './delta.sql.js';
import type { ViewSize } from './full-view.sql.js';
import {
  eligibleRelations,
  entriesJson,
  everybodysPosts,
  followedPosts,
  ownPosts,
  relationsJson,
  shownEntries,
} from './full-view.sql.js';

/** A caller's whole view of the network, or what changed in it; each list newest first. */
export interface View {
  readonly posts: readonly Post[];
  readonly ownPosts: readonly Post[];
  readonly relations: readonly RelationInView[];
  readonly inbox: readonly InboxEntry[];
  /** The position in the log that this view shows; 0 while the log is empty. */
  readonly cursor: number;
  /** It is the whole view. */
  readonly replace: boolean;
}

interface ViewJson extends Omit<View, 'posts' | 'ownPosts'> {
  readonly posts: PostColumns;
  readonly ownPosts: PostColumns;
}

/**
 * The caller's view: what changed since the cursor of an earlier one, or all of it (decisions.md, "Reconcile").
 * Undefined: there is no earlier one.
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
      SELECT * FROM ${followedPosts(schema, size)} newest WHERE ${followsMore})`;
    const posts = (skeleton: string) => postsJson(schema, skeleton, 'DESC');
    const either = (delta: string, full: string) => `CASE WHEN view.is_delta THEN ${delta} ELSE ${full} END`;
    // What is hidden has left views, and no change says so yet.
    return `(
    WITH since AS MATERIALIZED (
      SELECT ${parameter(1)}::numeric AS position
      WHERE state.hidden IS NULL AND ${isCovered(schema, `${parameter(1)}::numeric`)}
    ), changed_post AS MATERIALIZED ${changedPosts(schema, size)},
    new_relation AS MATERIALIZED ${newRelations(schema, size)},
    changed_entry AS MATERIALIZED ${changedEntries(schema, size)},
    view AS MATERIALIZED (
      SELECT coalesce((SELECT NOT ${wasAnythingRemoved(schema)} AND NOT ${hasTooMuchChanged(size)} FROM since), false)
        AS is_delta
    )
    SELECT json_build_object(
      'posts', ${either(
        posts(changed),
        `CASE WHEN caller.actor_id IS NULL THEN ${posts(everybodysPosts(schema, size))}
          ELSE ${posts(followedPosts(schema, size))} END`,
      )},
      'ownPosts', ${either(
        posts(changedBy('post.author_actor_id = caller.actor_id')),
        posts(ownPosts(schema, size)),
      )},
      'relations', ${either(relationsJson('new_relation'), relationsJson(eligibleRelations(schema, size)))},
      'inbox', ${either(entriesJson('changed_entry'), entriesJson(shownEntries(schema, size)))},
      'cursor', ${NOW},
      'replace', NOT view.is_delta)
    FROM view)`;
  },
  present(json) {
    const view = json as ViewJson;
    return { ...view, posts: presentPosts(view.posts), ownPosts: presentPosts(view.ownPosts) };
  },
});

/** With as much as is published. */
export const reconcile = reconcileWithin({ posts: 100, relations: 1_000, entries: 100 });

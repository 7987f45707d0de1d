import type { Post } from '../posts/post.js';
import { postsJson, presentPosts } from '../posts/post.sql.js';
import type { PostColumns } from '../posts/post.sql.js';
import type { ReadQuery } from '../runner/read-query.js';
import { isPublished } from '../visibility.sql.js';

/** Most posts in each list of a full view (decisions.md, "Reconcile"). */
const NEWEST = 100;

/** A caller's whole view of the network, newest first. */
export interface View {
  readonly posts: readonly Post[];
  readonly ownPosts: readonly Post[];
  readonly relations: readonly never[];
  readonly inbox: readonly never[];
  /** The position in the log that this view shows; 0 while the log is empty. */
  readonly cursor: number;
  readonly replace: true;
}

interface ViewJson extends Omit<View, 'posts' | 'ownPosts'> {
  /** Null: the own posts, and nobody else's. */
  readonly posts: PostColumns | null;
  readonly ownPosts: PostColumns;
}

/** Posts of oneself and of whom one follows, which nobody does yet; for an anonymous caller everybody's. */
export const reconcile: ReadQuery<void, View> = {
  name: 'reconcile',
  values: () => [],
  sql: ({ schema }) => {
    const own = newest(schema, 'candidate.author_actor_id = caller.actor_id');
    const everybodys = newest(schema, 'caller.actor_id IS NULL');
    return `(
    SELECT json_build_object(
      'posts', CASE WHEN caller.actor_id IS NULL THEN ${everybodys} END,
      'ownPosts', ${own},
      'relations', '[]'::json,
      'inbox', '[]'::json,
      'cursor', coalesce(state.applied_position, 0),
      'replace', true))`;
  },
  present(json) {
    const view = json as ViewJson;
    const ownPosts = presentPosts(view.ownPosts);
    return { ...view, posts: view.posts ? presentPosts(view.posts) : ownPosts, ownPosts };
  },
};

function newest(schema: string, condition: string): string {
  const skeleton = `(
    SELECT candidate.id AS post_id, candidate.position
    FROM ${schema}.post candidate
    WHERE ${isPublished('candidate')} AND ${condition}
    ORDER BY candidate.position DESC
    LIMIT ${NEWEST})`;
  return postsJson(schema, skeleton, 'DESC');
}

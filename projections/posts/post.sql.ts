/**
 * SQL that every read of posts shares, in the steps of the read path: a skeleton (ids by keyset, `post_id` and
 * `position`), hydration and the rule of who sees what, presentation.
 */
import type { Post } from './post.js';

/**
 * Whether the row of `post` under this alias is there to be shown to anybody: what the indexes of skeletons are cut to,
 * and so what a skeleton must ask in these very words.
 */
export const isPublished = (post: string): string => `${post}.status = 'published'`;

/** Whether the caller may see the row of `post` under this alias. The one place of that rule. */
export const isVisible = (post: string): string => isPublished(post);

/** What is read of each post, from `post`, `application` and the visible `parent` and `root` of a reply. */
const columns = {
  id: 'post.id',
  authorActorId: 'post.author_actor_id',
  text: 'post.text',
  audience: 'post.audience',
  revision: 'post.revision',
  createdAt: 'post.created_at',
  appId: 'post.app_id',
  appName: `coalesce(application.name, '')`,
  parentId: 'post.parent_id',
  rootId: 'post.root_id',
  parentUnavailable: 'parent.id IS NULL',
  rootUnavailable: 'root.id IS NULL',
};

interface Row extends Pick<Post, 'id' | 'authorActorId' | 'text' | 'audience' | 'revision' | 'createdAt'> {
  readonly appId: string;
  readonly appName: string;
  readonly parentId: string | null;
  readonly rootId: string | null;
  readonly parentUnavailable: boolean;
  readonly rootUnavailable: boolean;
}

/** What {@link postsJson} answers: an array a column. Null: no posts. */
export type PostColumns = { readonly [Column in keyof Row]: readonly Row[Column][] | null };

/**
 * The visible posts of a skeleton as JSON, for {@link presentPosts}. By column, because that costs Postgres a fifth of
 * what an object a post does. `skeleton`: name of a relation with `post_id` and `position`, or a parenthesized query.
 */
export function postsJson(schema: string, skeleton: string, order: 'ASC' | 'DESC'): string {
  const arrays = Object.entries(columns).map(
    ([name, column]) => `'${name}', array_agg(${column} ORDER BY skeleton.position ${order})`,
  );
  return `(
    SELECT json_build_object(${arrays.join(', ')})
    FROM ${skeleton} skeleton
    JOIN ${schema}.post ON post.id = skeleton.post_id AND ${isVisible('post')}
    LEFT JOIN ${schema}.application ON application.app_id = post.app_id
    LEFT JOIN ${schema}.post parent ON parent.id = post.parent_id AND ${isVisible('parent')}
    LEFT JOIN ${schema}.post root ON root.id = post.root_id AND ${isVisible('root')})`;
}

/** The posts in their published shape. */
export function presentPosts(posts: PostColumns): readonly Post[] {
  return (posts.id ?? []).map((_, index) => present(rowAt(posts, index)));
}

function rowAt(posts: PostColumns, index: number): Row {
  return Object.fromEntries(
    Object.entries(posts).map(([name, column]) => [name, column?.[index]]),
  ) as unknown as Row;
}

function present({
  appId,
  appName,
  parentId,
  rootId,
  parentUnavailable,
  rootUnavailable,
  ...row
}: Row): Post {
  const post = { ...row, originApp: { id: appId, name: appName }, edited: false };
  return parentId === null || rootId === null
    ? post
    : { ...post, parentId, rootId, parentUnavailable, rootUnavailable };
}

/** How many posts an actor has published; `actor` is an SQL expression. */
export function postCountOf(schema: string, actor: string): string {
  return `coalesce((SELECT posts FROM ${schema}.post_count WHERE post_count.actor_id = ${actor}), 0)`;
}

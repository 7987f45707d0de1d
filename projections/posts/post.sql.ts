/**
 * SQL that every read of posts shares, in the steps of the read path: a skeleton (ids by keyset, `post_id` and
 * `position`), hydration and the rule of who sees what, presentation.
 */
import { keysetOf } from '../runner/page-query.js';
import type { Scanned } from '../runner/page-query.js';
import { isPostVisible } from '../visibility.sql.js';
import type { Post } from './post.js';

/** What is read of each post, from `post`, `application` and the visible `parent` and `root` of a reply. */
const columns = {
  id: 'post.id',
  authorActorId: 'post.author_actor_id',
  text: 'post.text',
  audience: 'post.audience',
  revision: 'post.revision',
  createdAt: 'post.created_at',
  lastEditAppId: 'post.last_edit_app_id',
  lastEditAt: 'post.last_edit_at',
  appId: 'post.app_id',
  appName: `coalesce(application.name, '')`,
  parentId: 'post.parent_id',
  rootId: 'post.root_id',
  parentUnavailable: 'parent.id IS NULL',
  rootUnavailable: 'root.id IS NULL',
  position: 'skeleton.position::text',
};

interface Row extends Pick<Post, 'id' | 'authorActorId' | 'text' | 'audience' | 'revision' | 'createdAt'> {
  readonly appId: string;
  readonly appName: string;
  readonly lastEditAppId: string | null;
  readonly lastEditAt: number | null;
  readonly parentId: string | null;
  readonly rootId: string | null;
  readonly parentUnavailable: boolean;
  readonly rootUnavailable: boolean;
  readonly position: string;
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
    CROSS JOIN LATERAL (${visiblePost(schema, 'skeleton.post_id')}) post
    LEFT JOIN ${schema}.application ON application.app_id = post.app_id
    LEFT JOIN LATERAL (${visiblePost(schema, 'post.parent_id')}) parent ON true
    LEFT JOIN LATERAL (${visiblePost(schema, 'post.root_id')}) root ON true)`;
}

/**
 * One row at most, found by its key, and only then asked about. As conditions of a join, the same is asked of every post
 * there is for each one shown, as long as Postgres has no statistics of young tables.
 */
const visiblePost = (schema: string, id: string): string => `
  SELECT other.* FROM ${schema}.post other WHERE other.id = ${id} AND ${isPostVisible(schema, 'other')}
  OFFSET 0`;

/** The posts in their published shape. */
export function presentPosts(posts: PostColumns): readonly Post[] {
  return rowsOf(posts).map(present);
}

interface PageJson {
  readonly posts: PostColumns;
  readonly last: string | null;
}

/**
 * A page of posts as JSON, for {@link presentPage}. `candidates`: a query of `post_id` and `position` that begins
 * behind the page before, without an order. `scan`: SQL of how many of them to look at.
 */
export function postsPageJson(
  schema: string,
  candidates: string,
  { scan, order }: { readonly scan: string; readonly order: 'ASC' | 'DESC' },
): string {
  // One more than is looked at tells whether anything is left.
  return `(
    WITH candidate AS MATERIALIZED (${candidates} ORDER BY position ${order} LIMIT ${scan}::integer + 1),
    page AS MATERIALIZED (SELECT * FROM candidate ORDER BY position ${order} LIMIT ${scan}::integer)
    SELECT json_build_object('posts', ${postsJson(schema, 'page', order)},
      'last', (SELECT ${order === 'ASC' ? 'max' : 'min'}(position)::text FROM page
        HAVING (SELECT count(*) FROM candidate) > ${scan}::integer)))`;
}

export function presentPage(json: unknown): Scanned<Post> {
  const { posts, last } = json as PageJson;
  return {
    items: rowsOf(posts).map((row) => ({ key: keysetOf([row.position]), item: present(row) })),
    last: last === null ? null : keysetOf([last]),
  };
}

/** Behind `after` in a page's order, or at its beginning: what the positions of its candidates are compared with. */
export const FROM_OLDEST = '-1';
export const FROM_NEWEST = '9223372036854775807';

const rowsOf = (posts: PostColumns): readonly Row[] =>
  (posts.id ?? []).map((_, index) => rowAt(posts, index));

const names = Object.keys(columns) as readonly (keyof Row)[];

// By name and in one order, not by entries: of a page's time in this process, that was the most.
function rowAt(posts: PostColumns, index: number): Row {
  const row: Partial<Record<keyof Row, unknown>> = {};
  for (const name of names) row[name] = posts[name]?.[index];
  return row as Row;
}

function present(row: Row): Post {
  const { lastEditAppId, lastEditAt, parentId, rootId, parentUnavailable, rootUnavailable } = row;
  const isEdited = lastEditAppId !== null && lastEditAt !== null;
  return {
    id: row.id,
    authorActorId: row.authorActorId,
    text: row.text,
    audience: row.audience,
    revision: row.revision,
    createdAt: row.createdAt,
    originApp: { id: row.appId, name: row.appName },
    edited: isEdited,
    ...(isEdited && { lastEditAppId, lastEditAt }),
    ...(parentId !== null && rootId !== null && { parentId, rootId, parentUnavailable, rootUnavailable }),
  };
}

/** How many posts an actor has published; `actor` is an SQL expression. */
export function postCountOf(schema: string, actor: string): string {
  return `coalesce((SELECT posts FROM ${schema}.post_count WHERE post_count.actor_id = ${actor}), 0)`;
}

/**
 * Shared SQL of all reads of posts: skeleton (`post_id` and `position` by keyset); hydration and visibility;
 * presentation.
 */
import { keysetOf } from '../runner/page-query.js';
import type { ScannedPage } from '../runner/page-query.js';
import { isPostVisible } from '../visibility.sql.js';
import type { Post } from './post.js';

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

export type PostColumns = { readonly [Column in keyof Row]: readonly Row[Column][] | null };

/**
 * The visible posts of a skeleton as JSON, for {@link presentPosts}. `skeleton`: a relation with `post_id` and
 * `position`, or a parenthesized query. Column arrays cost Postgres a fifth of one object per post.
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
 * Finds one row by its key and then checks it. As join conditions, the checks would run on every post for each result
 * while young tables lack statistics.
 */
const visiblePost = (schema: string, id: string): string => `
  SELECT other.* FROM ${schema}.post other WHERE other.id = ${id} AND ${isPostVisible(schema, 'other')}
  OFFSET 0`;

export function presentPosts(posts: PostColumns): readonly Post[] {
  return rowsOf(posts).map(present);
}

interface PageJson {
  readonly posts: PostColumns;
  readonly last: string | null;
}

/**
 * A page of posts as JSON, for {@link presentPage}. `candidates`: an unordered query of `post_id` and `position` that
 * starts after the previous page. `scan`: SQL of the number of candidates to read.
 */
export function postsPageJson(
  schema: string,
  candidates: string,
  { scan, order }: { readonly scan: string; readonly order: 'ASC' | 'DESC' },
): string {
  return `(
    WITH candidate AS MATERIALIZED (${candidates} ORDER BY position ${order} LIMIT ${scan}::integer + 1),
    page AS MATERIALIZED (SELECT * FROM candidate ORDER BY position ${order} LIMIT ${scan}::integer)
    SELECT json_build_object('posts', ${postsJson(schema, 'page', order)},
      'last', (SELECT ${order === 'ASC' ? 'max' : 'min'}(position)::text FROM page
        HAVING (SELECT count(*) FROM candidate) > ${scan}::integer)))`;
}

export function presentPage(json: unknown): ScannedPage<Post> {
  const { posts, last } = json as PageJson;
  return {
    items: rowsOf(posts).map((row) => ({ key: keysetOf([row.position]), item: present(row) })),
    last: last === null ? null : keysetOf([last]),
  };
}

export const POSITION_BEFORE_OLDEST_POST = '-1';
export const POSITION_AFTER_NEWEST_POST = '9223372036854775807';

const rowsOf = (posts: PostColumns): readonly Row[] =>
  (posts.id ?? []).map((_, index) => rowAt(posts, index));

const columnNames = Object.keys(columns) as readonly (keyof Row)[];

// Assigns by name in a fixed order: building rows from entries took most of a page's time in this process.
function rowAt(posts: PostColumns, index: number): Row {
  const row: Partial<Record<keyof Row, unknown>> = {};
  for (const name of columnNames) row[name] = posts[name]?.[index];
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

export function postCountOf(schema: string, actor: string): string {
  return `coalesce((SELECT posts FROM ${schema}.post_count WHERE post_count.actor_id = ${actor}), 0)`;
}

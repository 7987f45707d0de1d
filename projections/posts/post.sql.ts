/** Shared SQL of all reads of posts: rows of the table by keyset; visibility; presentation. */
import { columnsJson, rowsOf } from '../runner/columns.js';
import type { Columns } from '../runner/columns.js';
import { keysetOf } from '../runner/page-query.js';
import type { ScannedPage } from '../runner/page-query.js';
import { isPostVisible } from '../visibility.sql.js';
import type { Post } from './post.js';

const columns = {
  id: 'shown.id',
  authorActorId: 'shown.author_actor_id',
  text: 'shown.text',
  audience: 'shown.audience',
  revision: 'shown.revision',
  createdAt: 'shown.created_at',
  lastEditAppId: 'shown.last_edit_app_id',
  lastEditAt: 'shown.last_edit_at',
  appId: 'shown.app_id',
  appName: `coalesce(shown.app_name, '')`,
  parentId: 'shown.parent_id',
  rootId: 'shown.root_id',
  parentUnavailable: 'shown.parent_id = ANY (thread.ids) IS NOT TRUE',
  rootUnavailable: 'shown.root_id = ANY (thread.ids) IS NOT TRUE',
  position: 'shown.position::text',
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

export type PostColumns = Columns<Row>;

/**
 * The visible ones of some posts as JSON, for {@link presentPosts}. `posts`: a relation or parenthesized query of rows of
 * the table `post`, each once. Each parent and root is looked up once, however many posts name it.
 */
export function postsJson(schema: string, posts: string, order: 'ASC' | 'DESC'): string {
  return `(
    WITH shown AS MATERIALIZED (
      SELECT post.*, application.name AS app_name
      FROM (SELECT listed.* FROM ${posts} listed WHERE ${isPostVisible(schema, 'listed')} OFFSET 0) post
      LEFT JOIN ${schema}.application ON application.app_id = post.app_id
    ), thread AS MATERIALIZED (
      SELECT array_agg(open.id) AS ids
      FROM (SELECT parent_id AS id FROM shown WHERE parent_id IS NOT NULL
        UNION SELECT root_id FROM shown WHERE root_id IS NOT NULL) named
      CROSS JOIN LATERAL (
        SELECT other.id FROM ${postWithId(schema, 'named.id')} other WHERE ${isPostVisible(schema, 'other')}) open
    )
    SELECT ${columnsJson(columns, `shown.position ${order}`)} FROM shown CROSS JOIN thread)`;
}

/**
 * Finds one row by its key, before it is checked. As join conditions, the checks would run on every post for each result
 * while young tables lack statistics.
 */
export const postWithId = (schema: string, id: string): string =>
  `(SELECT found.* FROM ${schema}.post found WHERE found.id = ${id} OFFSET 0)`;

export function presentPosts(posts: PostColumns): readonly Post[] {
  return rowsOf(posts).map(present);
}

interface PageJson {
  readonly posts: PostColumns;
  readonly last: string | null;
}

/**
 * A page of posts as JSON, for {@link presentPage}. `candidates`: an unordered query of rows of the table
 * `post` that starts after the previous page. `scan`: SQL of the number of candidates to read.
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

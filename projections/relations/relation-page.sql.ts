/** Shared SQL of all lists of relations: skeleton by keyset, newest first; hydration and visibility; presentation. */
import { columnsJson, rowsOf } from '../runner/columns.js';
import type { Columns } from '../runner/columns.js';
import { keysetOf } from '../runner/page-query.js';
import type { Keyset, PageArgs, ScannedPage } from '../runner/page-query.js';
import type { Scope } from '../runner/read-query.js';

/**
 * Numbers in a page key: the position at which the first page was read, then the relation's time and position. All
 * pages share the first number, and so show no later relations, even if clocks disagree.
 */
export const KEY_ARITY = 3;

const FROM_NEWEST = '9223372036854775807';

export function pageValues({ scan, after }: PageArgs): readonly unknown[] {
  const [asOf = null, createdAt = FROM_NEWEST, position = FROM_NEWEST] = after?.map(String) ?? [];
  return [scan, asOf, createdAt, position];
}

export interface RelationList {
  readonly condition: string;
  readonly joins: string;
  readonly fields: Readonly<Record<string, string>>;
}

/**
 * A page of relations as JSON, for {@link presentRelations}; never null. The page's parameters follow the query's
 * `before` own ones.
 */
export function relationsPageJson(
  { schema, parameter }: Scope,
  before: number,
  { condition, joins, fields }: RelationList,
): string {
  const scan = `${parameter(before + 1)}::integer`;
  const asOf = `coalesce(${parameter(before + 2)}::numeric, state.applied_position, 0)`;
  const newestFirst = (rows: string) => `${rows}.created_at DESC, ${rows}.position DESC`;
  const arrays = (columns: Readonly<Record<string, string>>) => columnsJson(columns, newestFirst('page'));
  return `(
    WITH candidate AS MATERIALIZED (
      SELECT * FROM ${schema}.relation
      WHERE ${condition} AND position <= ${asOf}
        AND (created_at, position) < (${parameter(before + 3)}::bigint, ${parameter(before + 4)}::numeric)
      ORDER BY ${newestFirst('relation')} LIMIT ${scan} + 1),
    page AS MATERIALIZED (SELECT * FROM candidate ORDER BY ${newestFirst('candidate')} LIMIT ${scan})
    SELECT json_build_object(
      'asOf', ${asOf}::text,
      'rows', (
        SELECT json_build_object(
          'keys', ${arrays({ createdAt: 'page.created_at', position: 'page.position::text' })},
          'items', ${arrays(fields)})
        FROM page ${joins}),
      'last', (
        SELECT json_build_object('createdAt', created_at, 'position', position::text) FROM page
        WHERE (SELECT count(*) FROM candidate) > ${scan}
        ORDER BY created_at, position LIMIT 1)))`;
}

interface PageKey {
  readonly createdAt: number;
  readonly position: string;
}

interface PageJson<Item> {
  readonly asOf: string;
  readonly rows: { readonly keys: Columns<PageKey>; readonly items: Columns<Item> };
  readonly last: PageKey | null;
}

export function presentRelations<Item>(json: unknown): ScannedPage<Item> {
  const { asOf, rows, last } = json as PageJson<Item>;
  const keyOf = ({ createdAt, position }: PageKey): Keyset => keysetOf([asOf, String(createdAt), position]);
  const keys = rowsOf(rows.keys).map(keyOf);
  return {
    items: rowsOf(rows.items).map((item, index) => ({ key: keys[index] ?? [], item })),
    last: last && keyOf(last),
  };
}

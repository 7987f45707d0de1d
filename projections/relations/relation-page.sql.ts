/**
 * SQL that every list of relations shares, in the steps of the read path: a skeleton by keyset, newest first; hydration
 * and the rule of who sees what; presentation.
 */
import { keysetOf } from '../runner/page-query.js';
import type { Keyset, PageArgs, Scanned } from '../runner/page-query.js';
import type { Scope } from '../runner/read-query.js';

/**
 * A relation's key: as of which position the first page was read, when the relation was made, and at which position.
 * The first is the same in all pages, and nothing that came behind it is in any of them, whatever clocks said.
 */
export const KEY_ARITY = 3;

/** Later than any time and position. */
const FROM_NEWEST = '9223372036854775807';

/** Parameters of a page, behind the `before` parameters of its query. */
export function pageValues({ scan, after }: PageArgs): readonly unknown[] {
  const [asOf = null, createdAt = FROM_NEWEST, position = FROM_NEWEST] = after?.map(String) ?? [];
  return [scan, asOf, createdAt, position];
}

export interface RelationList {
  /** Condition on `relation`: whose they are. */
  readonly of: string;
  /** Joins to `page`, an alias of the relations that are looked at, what is shown of each and whether it is. */
  readonly hydrated: string;
  /** SQL of each field that is shown. */
  readonly fields: Readonly<Record<string, string>>;
}

/** A page of relations as JSON, for {@link presentRelations}; null never. `before`: the query's own parameters. */
export function relationsPageJson(
  { schema, parameter }: Scope,
  before: number,
  { of, hydrated, fields }: RelationList,
): string {
  const scan = `${parameter(before + 1)}::integer`;
  const asOf = `coalesce(${parameter(before + 2)}::numeric, state.applied_position, 0)`;
  const shown = Object.entries(fields).map(([name, sql]) => `'${name}', ${sql}`);
  const newestFirst = (rows: string) => `ORDER BY ${rows}.created_at DESC, ${rows}.position DESC`;
  // One more than is looked at tells whether anything is left.
  return `(
    WITH candidate AS MATERIALIZED (
      SELECT * FROM ${schema}.relation
      WHERE ${of} AND position <= ${asOf}
        AND (created_at, position) < (${parameter(before + 3)}::bigint, ${parameter(before + 4)}::numeric)
      ${newestFirst('relation')} LIMIT ${scan} + 1),
    page AS MATERIALIZED (SELECT * FROM candidate ${newestFirst('candidate')} LIMIT ${scan})
    SELECT json_build_object(
      'asOf', ${asOf}::text,
      'rows', (
        SELECT coalesce(json_agg(json_build_object(
          'createdAt', page.created_at, 'position', page.position::text, 'item', json_build_object(${shown.join(', ')}))
          ${newestFirst('page')}), '[]')
        FROM page ${hydrated}),
      'last', (
        SELECT json_build_object('createdAt', created_at, 'position', position::text) FROM page
        WHERE (SELECT count(*) FROM candidate) > ${scan}
        ORDER BY created_at, position LIMIT 1)))`;
}

interface Place {
  readonly createdAt: number;
  readonly position: string;
}

interface PageJson<Item> {
  readonly asOf: string;
  readonly rows: readonly (Place & { readonly item: Item })[];
  readonly last: Place | null;
}

export function presentRelations<Item>(json: unknown): Scanned<Item> {
  const { asOf, rows, last } = json as PageJson<Item>;
  const keyOf = ({ createdAt, position }: Place): Keyset => keysetOf([asOf, String(createdAt), position]);
  return {
    items: rows.map(({ item, ...place }) => ({ key: keyOf(place), item })),
    last: last && keyOf(last),
  };
}

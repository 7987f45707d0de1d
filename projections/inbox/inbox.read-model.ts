import { keysetOf } from '../runner/page-query.js';
import type { PageQuery, ScannedPage } from '../runner/page-query.js';
import type { ReadQuery } from '../runner/read-query.js';
import type { InboxEntry } from './inbox-entry.js';
import { entryJson, isEntryVisible, unreadCount } from './inbox.sql.js';

interface PageJson {
  readonly rows: readonly { readonly position: string; readonly entry: InboxEntry | null }[] | null;
  readonly more: boolean;
  readonly unread: number;
}

export interface InboxPage extends ScannedPage<InboxEntry> {
  readonly unread: number;
}

export const inboxOf: PageQuery<object, InboxEntry, InboxPage> = {
  name: 'inbox-of',
  arity: 1,
  values: ({ scan, after }) => [scan, after?.[0] === undefined ? null : String(after[0])],
  sql: ({ schema, parameter }) => `(
    WITH candidate AS MATERIALIZED (
      SELECT * FROM ${schema}.inbox
      WHERE inbox.actor_id = caller.actor_id
        AND inbox.position < coalesce(${parameter(2)}::numeric, 'Infinity'::numeric)
      ORDER BY position DESC LIMIT ${parameter(1)}::integer + 1
    ), page AS MATERIALIZED (SELECT * FROM candidate ORDER BY position DESC LIMIT ${parameter(1)}::integer)
    SELECT json_build_object(
      'rows', (
        SELECT json_agg(json_build_object(
          'position', page.position::text,
          'entry', CASE WHEN ${isEntryVisible(schema, 'page')} THEN ${entryJson('page')} END) ORDER BY page.position DESC)
        FROM page),
      'more', (SELECT count(*) FROM candidate) > ${parameter(1)}::integer,
      'unread', ${unreadCount(schema)}))`,
  present: (json) => {
    const { rows, more, unread } = json as PageJson;
    const keyed = (rows ?? []).map(({ position, entry }) => ({ key: keysetOf([position]), entry }));
    return {
      items: keyed.flatMap(({ key, entry }) => (entry ? [{ key, item: entry }] : [])),
      last: more ? (keyed.at(-1)?.key ?? null) : null,
      unread,
    };
  },
};

export const unreadCountOf: ReadQuery<void, number> = {
  name: 'unread-of',
  values: () => [],
  sql: ({ schema }) => `(SELECT to_json(${unreadCount(schema)}))`,
  present: (json) => json as number,
};

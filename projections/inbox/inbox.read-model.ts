import { columnsJson, rowsOf } from '../runner/columns.js';
import type { Columns } from '../runner/columns.js';
import { keysetOf } from '../runner/page-query.js';
import type { PageQuery, ScannedPage } from '../runner/page-query.js';
import type { ReadQuery } from '../runner/read-query.js';
import type { InboxEntry } from './inbox-entry.js';
import { entriesOf, entryColumns, isEntryVisible, presentEntry, unreadCount } from './inbox.sql.js';
import type { EntryRow } from './inbox.sql.js';

interface PageJson {
  readonly rows: Columns<EntryRow & { readonly position: string }>;
  readonly last: string | null;
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
      SELECT * FROM ${entriesOf(schema)} inbox
      WHERE inbox.actor_id = caller.actor_id
        AND inbox.position < coalesce(${parameter(2)}::numeric, 'Infinity'::numeric)
      ORDER BY position DESC LIMIT ${parameter(1)}::integer + 1
    ), page AS MATERIALIZED (
      SELECT scanned.*, ${isEntryVisible(schema, 'scanned')} AS is_visible
      FROM (SELECT * FROM candidate ORDER BY position DESC LIMIT ${parameter(1)}::integer) scanned)
    SELECT json_build_object(
      'rows', (SELECT ${columnsJson({ ...entryColumns('page'), position: 'page.position::text' }, 'page.position DESC')}
        FROM page WHERE page.is_visible),
      'last', (SELECT min(page.position)::text FROM page
        HAVING (SELECT count(*) FROM candidate) > ${parameter(1)}::integer),
      'unread', ${unreadCount(schema, 'page')}))`,
  present: (json) => {
    const { rows, last, unread } = json as PageJson;
    return {
      items: rowsOf(rows).map(({ position, ...entry }) => ({
        key: keysetOf([position]),
        item: presentEntry(entry),
      })),
      last: last === null ? null : keysetOf([last]),
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

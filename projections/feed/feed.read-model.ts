import type { ReadQuery } from '../runner/read-query.js';
import { CURRENT_CURSOR, areChangesAvailableSince, hasResetSince } from './changes.sql.js';
import { presentFeed } from './feed-page.js';
import type { FeedPage } from './feed-page.js';
import {
  eventsJson,
  isChangeForCaller,
  postsOfPage,
  INBOX_CHANGE_COLUMNS,
  changeColumns,
} from './feed.sql.js';

export type { FeedPage };

const SCAN = 1_000;

/**
 * A page of the caller's changes behind a cursor: `limit` events, and all others at the last one's position. Undefined
 * cursor: an empty page that starts at the current position.
 */
export const readFeed: ReadQuery<{ readonly cursor: number | undefined; readonly limit: number }, FeedPage> =
  {
    name: 'feed-of',
    values: ({ cursor, limit }) => [cursor === undefined ? null : String(cursor), limit],
    sql: ({ schema, parameter }) => {
      const [cursor, limit] = [`${parameter(1)}::numeric`, `${parameter(2)}::integer`];
      return `(
    WITH since AS MATERIALIZED (
      SELECT ${cursor} AS position WHERE ${areChangesAvailableSince(schema, cursor)} AND NOT ${hasResetSince(schema, cursor)}
    ), scanned AS MATERIALIZED (
      SELECT * FROM ${schema}.change WHERE change.position > (SELECT position FROM since)
      ORDER BY change.position FETCH FIRST ${SCAN} ROWS WITH TIES
    ), reach AS MATERIALIZED (
      SELECT CASE WHEN count(*) < ${SCAN} THEN ${CURRENT_CURSOR} ELSE max(scanned.position) END
        AS position
      FROM scanned
    ), matching AS MATERIALIZED (
      SELECT ${changeColumns('scanned')} FROM scanned WHERE ${isChangeForCaller(schema, 'scanned')}
      UNION ALL
      SELECT ${INBOX_CHANGE_COLUMNS}
      FROM ${schema}.inbox
      WHERE inbox.actor_id = caller.actor_id AND inbox.position > (SELECT position FROM since)
        AND inbox.position <= (SELECT position FROM reach)
    ), page AS MATERIALIZED (
      SELECT * FROM matching ORDER BY position FETCH FIRST (${limit}) ROWS WITH TIES
    )
    SELECT json_build_object(
      'events', ${eventsJson(schema, 'page')},
      'posts', ${postsOfPage(schema, 'page')},
      'cursor', CASE
        WHEN NOT EXISTS (SELECT FROM since) THEN ${CURRENT_CURSOR}
        WHEN (SELECT count(*) FROM matching) > (SELECT count(*) FROM page) THEN (SELECT max(page.position) FROM page)
        ELSE (SELECT position FROM reach) END,
      'replace', ${cursor} IS NOT NULL AND NOT EXISTS (SELECT FROM since)))`;
    },
    present: presentFeed,
  };

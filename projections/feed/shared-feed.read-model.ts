import type { SharedReadQuery } from '../runner/read-query.js';
import { CURRENT_CURSOR, areChangesAvailableSince, hasResetSince } from './changes.sql.js';
import { presentFeed } from './feed-page.js';
import type { FeedPage } from './feed-page.js';
import {
  eventsJson,
  isChangeForCaller,
  postsOfPage,
  CHANGE_COLUMN_DEFINITIONS,
  INBOX_CHANGE_COLUMNS,
  changeColumns,
  changeRecord,
} from './feed.sql.js';

/**
 * The changes of many callers, each behind its own cursor. Each caller gets the same changes as from `readFeed`, but
 * the changes are read once.
 *
 * The scan starts at the oldest cursor. It reads `most` changes, and all others at the last one's position, so the
 * callers' cursors should be close together. A caller ahead of the scanned changes keeps its cursor.
 *
 * In-memory relations are joined only by FULL JOIN, which prevents a nested loop in Postgres.
 */
export const sharedFeed: SharedReadQuery<{ readonly most: number }, FeedPage> = {
  name: 'shared-feed',
  values: ({ most }) => [most],
  sql: ({ schema, parameter }) => {
    const most = `${parameter(1)}::integer`;
    const page = `unnest(caller.changes) AS page(${CHANGE_COLUMN_DEFINITIONS})`;
    return `(
    WITH listener AS MATERIALIZED (
      SELECT caller.n, caller.actor_id, caller.has_blocks, caller.cursor,
        ${areChangesAvailableSince(schema, 'caller.cursor')} AND NOT ${hasResetSince(schema, 'caller.cursor')} AS is_covered
      FROM state CROSS JOIN caller
    ), scanned AS MATERIALIZED (
      SELECT * FROM ${schema}.change
      WHERE change.position > (SELECT min(listener.cursor) FROM listener WHERE listener.is_covered)
      ORDER BY change.position FETCH FIRST (${most}) ROWS WITH TIES
    ), reach AS MATERIALIZED (
      SELECT CASE WHEN count(*) < ${most} THEN (SELECT ${CURRENT_CURSOR} FROM state) ELSE max(scanned.position) END AS position
      FROM scanned
    ), matching AS MATERIALIZED (
      SELECT caller.n, ${changeColumns('scanned')}
      FROM listener caller CROSS JOIN scanned
      WHERE caller.is_covered AND scanned.position > caller.cursor AND ${isChangeForCaller(schema, 'scanned')}
      UNION ALL
      SELECT caller.n, entry.*
      FROM listener caller CROSS JOIN LATERAL (
        SELECT ${INBOX_CHANGE_COLUMNS} FROM ${schema}.inbox
        WHERE caller.is_covered AND inbox.actor_id = caller.actor_id AND inbox.position > caller.cursor
          AND inbox.position <= (SELECT position FROM reach)
        OFFSET 0) entry
    ), gathered AS MATERIALIZED (
      SELECT matching.n, array_agg(${changeRecord('matching')}) AS changes FROM matching GROUP BY matching.n
    )
    SELECT caller.n, json_build_object(
      'events', CASE WHEN caller.changes IS NULL THEN '[]' ELSE ${eventsJson(schema, page)} END,
      'posts', CASE WHEN caller.changes IS NULL THEN '{}' ELSE ${postsOfPage(schema, page)} END,
      'cursor', CASE WHEN caller.is_covered THEN greatest(caller.cursor, reach.position) ELSE ${CURRENT_CURSOR} END,
      'replace', NOT caller.is_covered) AS data
    FROM state CROSS JOIN reach CROSS JOIN (SELECT * FROM listener FULL JOIN gathered USING (n)) caller)`;
  },
  present: presentFeed,
};

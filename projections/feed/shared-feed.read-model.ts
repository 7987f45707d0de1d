import type { SharedReadQuery } from '../runner/read-query.js';
import { NOW, isCovered, wasReset } from './changes.sql.js';
import { presentFeed } from './feed-page.js';
import type { FeedPage } from './feed-page.js';
import { eventsJson, isTold, postsOfPage, TOLD_AS, TOLD_OF_INBOX, toldOf, toldRecord } from './feed.sql.js';

/**
 * What changed for many callers, each behind its own cursor: the same as `feedOf` tells each of them, of changes that
 * are read once. They are looked through from the oldest cursor on, `most` of them and whatever more has the last one's
 * position, so the callers are to stand close together. A caller who is ahead of what was looked through stays there.
 *
 * Relations in memory are joined by FULL JOIN alone, for which Postgres does not pair each row with each.
 */
export const sharedFeed: SharedReadQuery<{ readonly most: number }, FeedPage> = {
  name: 'shared-feed',
  values: ({ most }) => [most],
  sql: ({ schema, parameter }) => {
    const most = `${parameter(1)}::integer`;
    const page = `unnest(caller.told) AS page(${TOLD_AS})`;
    return `(
    WITH listener AS MATERIALIZED (
      SELECT caller.n, caller.actor_id, caller.cursor,
        ${isCovered(schema, 'caller.cursor')} AND NOT ${wasReset(schema, 'caller.cursor')} AS is_covered
      FROM state CROSS JOIN caller
    ), looked_at AS MATERIALIZED (
      SELECT * FROM ${schema}.change
      WHERE change.position > (SELECT min(listener.cursor) FROM listener WHERE listener.is_covered)
      ORDER BY change.position FETCH FIRST (${most}) ROWS WITH TIES
    ), reach AS MATERIALIZED (
      SELECT CASE WHEN count(*) < ${most} THEN (SELECT ${NOW} FROM state) ELSE max(looked_at.position) END AS position
      FROM looked_at
    ), told AS MATERIALIZED (
      SELECT caller.n, ${toldOf('looked_at')}
      FROM listener caller CROSS JOIN looked_at
      WHERE caller.is_covered AND looked_at.position > caller.cursor AND ${isTold(schema, 'looked_at')}
      UNION ALL
      SELECT caller.n, entry.*
      FROM listener caller CROSS JOIN LATERAL (
        SELECT ${TOLD_OF_INBOX} FROM ${schema}.inbox
        WHERE caller.is_covered AND inbox.actor_id = caller.actor_id AND inbox.position > caller.cursor
          AND inbox.position <= (SELECT position FROM reach)
        OFFSET 0) entry
    ), gathered AS MATERIALIZED (
      SELECT told.n, array_agg(${toldRecord('told')}) AS told FROM told GROUP BY told.n
    )
    SELECT caller.n, json_build_object(
      'events', CASE WHEN caller.told IS NULL THEN '[]' ELSE ${eventsJson(schema, page)} END,
      'posts', CASE WHEN caller.told IS NULL THEN '{}' ELSE ${postsOfPage(schema, page)} END,
      'cursor', CASE WHEN caller.is_covered THEN greatest(caller.cursor, reach.position) ELSE ${NOW} END,
      'replace', NOT caller.is_covered) AS data
    FROM state CROSS JOIN reach CROSS JOIN (SELECT * FROM listener FULL JOIN gathered USING (n)) caller)`;
  },
  present: presentFeed,
};

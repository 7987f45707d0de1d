import type { Pool } from 'pg';
import { z } from 'zod';
import { HOUR_MS } from './event.sql.js';

/** Events of one type in the last hour and in the hour before, each counted up to {@link MAX_COUNTED}. */
export const activityShape = z.strictObject({
  type: z.string(),
  lastHour: z.number(),
  hourBefore: z.number(),
});

type Activity = z.infer<typeof activityShape>;

/**
 * `posts`: since the begin of the hour before this one, by the clock. `actors`: their authors; with `isMore`, those of the
 * newest {@link MAX_COUNTED} posts of the network alone.
 */
export const busyApplicationShape = z.strictObject({
  clientId: z.string(),
  name: z.string(),
  posts: z.number(),
  actors: z.number(),
  isMore: z.boolean(),
});

type BusyApplication = z.infer<typeof busyApplicationShape>;

export const MAX_COUNTED = 10_000;
const BUSIEST = 5;

export async function activityOf(
  pool: Pool,
  types: readonly string[],
  now: number,
): Promise<readonly Activity[]> {
  const counted = (from: string, to: string) => `(SELECT count(*)::integer FROM (
      SELECT FROM audit.event WHERE event.type = wanted.type AND at >= ${from} AND at < ${to} LIMIT ${MAX_COUNTED}
    ) AS few)`;
  const { rows } = await pool.query<Activity>(
    `SELECT wanted.type, ${counted('$3::bigint', '$4::bigint')} AS "lastHour",
      ${counted('$2::bigint', '$3::bigint')} AS "hourBefore"
    FROM unnest($1::text[]) WITH ORDINALITY AS wanted(type, n) ORDER BY n`,
    [types, now - 2 * HOUR_MS, now - HOUR_MS, now + 1],
  );
  return rows;
}

/** Events of each type since then (Unix milliseconds), each counted up to {@link MAX_COUNTED}. Nothing while reads are refused. */
export async function countSince(
  pool: Pool,
  types: readonly string[],
  since: number,
): Promise<readonly number[]> {
  const { rows } = await pool.query<{ count: number }>(
    `SELECT (SELECT count(*)::integer FROM (
        SELECT FROM audit.event WHERE event.type = wanted.type AND at >= $2::bigint LIMIT ${MAX_COUNTED}
      ) AS few) AS count
    FROM unnest($1::text[]) WITH ORDINALITY AS wanted(type, n)
    WHERE EXISTS (SELECT FROM recovery.publication WHERE status = 'serving') ORDER BY n`,
    [types, since],
  );
  return rows.map(({ count }) => count);
}

/** The applications with the most posts in this hour and the one before, first. */
export async function busiestApplications(pool: Pool, now: number): Promise<readonly BusyApplication[]> {
  const { rows } = await pool.query<BusyApplication>(
    `WITH newest AS MATERIALIZED (
      SELECT app_id, actor_id FROM audit.event WHERE type = 'post.created' AND at >= $1::bigint
      ORDER BY at DESC, position DESC LIMIT ${MAX_COUNTED})
    SELECT app_id AS "clientId", name, posts::integer, (
      SELECT count(DISTINCT actor_id)::integer FROM newest WHERE newest.app_id = busy.app_id) AS actors,
      (SELECT count(*) = ${MAX_COUNTED} FROM newest) AS "isMore"
    FROM (
      SELECT app_id, name, (SELECT sum(events) FROM audit.app_hour WHERE app_hour.app_id = application.app_id COLLATE "C"
        AND hour >= $1::bigint AND act = 'post.created') AS posts
      FROM authority.application) AS busy
    WHERE posts > 0 ORDER BY posts DESC, app_id LIMIT ${BUSIEST}`,
    [now - (now % HOUR_MS) - HOUR_MS],
  );
  return rows;
}

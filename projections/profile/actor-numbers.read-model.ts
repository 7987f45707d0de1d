import { z } from 'zod';
import { isPublished } from '../visibility.sql.js';
import { relationCountOf } from '../relations/relation.sql.js';
import type { ReadQuery } from '../runner/read-query.js';

const DAY_MS = 24 * 60 * 60_000;
const DAYS = 30;
const MAX_POSTS = 1_000;

/** `days`: published posts a day of UTC from `since` (Unix milliseconds) to today. `isMore`: the newest posts alone are counted. */
export const actorNumbersShape = z.strictObject({
  followers: z.number(),
  following: z.number(),
  since: z.number(),
  days: z.array(z.number()).readonly(),
  isMore: z.boolean(),
});

export type ActorNumbers = z.infer<typeof actorNumbersShape>;

interface NumbersJson extends Omit<ActorNumbers, 'days'> {
  readonly days: Readonly<Record<string, number>>;
}

/** For operators: of suspended people too. It shows no post and no person. */
export const actorNumbers: ReadQuery<{ readonly actorId: string; readonly now: number }, ActorNumbers> = {
  name: 'actor-numbers',
  values: ({ actorId, now }) => [actorId, now - (now % DAY_MS) - (DAYS - 1) * DAY_MS],
  sql: ({ schema, parameter }) => `(
    WITH newest AS MATERIALIZED (
      SELECT post.created_at FROM ${schema}.post
      WHERE post.author_actor_id = ${parameter(1)} AND ${isPublished('post')}
      ORDER BY post.position DESC LIMIT ${MAX_POSTS}
    ), counted AS (
      SELECT (created_at - ${parameter(2)}::bigint) / ${DAY_MS} AS day, count(*) AS posts FROM newest
      WHERE created_at >= ${parameter(2)}::bigint GROUP BY day
    )
    SELECT json_build_object(
      'followers', ${relationCountOf(schema, 'followers', parameter(1))},
      'following', ${relationCountOf(schema, 'following', parameter(1))},
      'since', ${parameter(2)}::bigint,
      'days', (SELECT coalesce(json_object_agg(day, posts), '{}') FROM counted),
      'isMore', (SELECT count(*) = ${MAX_POSTS} AND min(created_at) >= ${parameter(2)}::bigint FROM newest)))`,
  present: (json) => {
    const { days, ...numbers } = json as NumbersJson;
    return { ...numbers, days: Array.from({ length: DAYS }, (_, day) => days[day] ?? 0) };
  },
};

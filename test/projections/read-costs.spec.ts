import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Pool } from 'pg';
import { readFeed } from '../../projections/feed/feed.read-model.js';
import { sharedFeed } from '../../projections/feed/shared-feed.read-model.js';
import { serving } from '../../projections/groups.js';
import { inboxOf } from '../../projections/inbox/inbox.read-model.js';
import { outstandingSql } from '../../projections/outstanding.sql.js';
import { actorById, actorsByHandle, actorsByIds } from '../../projections/profile/profile.read-model.js';
import { postsOf, repliesOf } from '../../projections/posts/posts.read-model.js';
import { reconcile } from '../../projections/reconcile/reconcile.read-model.js';
import { followersOf, ownRelations } from '../../projections/relations/relations.read-model.js';
import { scopeOf } from '../../projections/runner/read-query.js';
import type { ReadQuery } from '../../projections/runner/read-query.js';
import { timelineOf } from '../../projections/timeline/timeline.read-model.js';
import { openPlannedOnce } from '../../src/base/store/postgres.js';
import { startTestPostgres } from '../support/postgres.js';
import type { TestPostgres } from '../support/postgres.js';

/** The number of posts, and of `me`'s follows (half of them of merged authors), likes and unread entries. */
const sizes = { small: { posts: 10_000, mine: 1_500 }, large: { posts: 60_000, mine: 6_000 } };
type Size = keyof typeof sizes;
const FOLLOWED = 80;
const FAR = '9000000000';

/**
 * Every author has posted and is followed by all. Each row has 100 times its number as its position. The timeline of `me`
 * starts 2,000 posts ago, the rows of its authors 1,000 posts ago; its newest 200 unread entries are not marked as read.
 */
const contentOf = ({ posts, mine }: (typeof sizes)[Size]): string => `
  INSERT INTO actor SELECT 'a' || i, 'h' || i, 'A', '', '', 1, i, CASE i % 50 WHEN 9 THEN 'suspended' ELSE 'active' END
    FROM generate_series(1, ${mine}) i;
  INSERT INTO block SELECT 'a' || i, 'a' || i + 1, i FROM generate_series(1, ${mine}) i;
  INSERT INTO post SELECT 'p' || i, i * 100, 'a' || i % ${FOLLOWED}, 'app', 'text', 'public', 'published', 1, i, NULL, NULL,
      CASE WHEN i > 1 THEN 'p1' END, CASE WHEN i > 1 THEN 'p1' END
    FROM generate_series(1, ${posts}) i;
  INSERT INTO relation SELECT 'me', 'follow', 'a' || i, 'a' || i, 1, i, i FROM generate_series(0, ${FOLLOWED - 1}) i;
  INSERT INTO relation SELECT 'a' || i, 'follow', 'a1', 'a1', 1, i, i FROM generate_series(2, ${mine}) i;
  INSERT INTO relation SELECT 'a' || i, 'follow', 'me', 'me', 1, i, i FROM generate_series(1, ${mine}) i;
  INSERT INTO relation SELECT 'me', 'like', 'p' || i, 'a' || i, 1, i, i FROM generate_series(1, ${mine}) i;
  INSERT INTO merged_author SELECT 'a' || i FROM generate_series(0, ${FOLLOWED - 1}, 2) i;
  INSERT INTO timeline SELECT 'me', position FROM post WHERE position % 200 <> 0 AND position >= ${(posts - 2_000) * 100};
  INSERT INTO timeline_start VALUES ('me', ${(posts - 2_000) * 100});
  INSERT INTO follow_start SELECT 'me', 'a' || i, ${(posts - 1_000) * 100} FROM generate_series(1, ${FOLLOWED - 1}, 2) i;
  INSERT INTO inbox SELECT 'me', 'e' || i, 'follow', 'a' || i, 'a' || i, i, i * 100 FROM generate_series(1, ${mine}) i;
  INSERT INTO inbox_mark VALUES ('me', ${(mine - 200) * 100}, ${mine - 200}, 1);
  INSERT INTO relation_count SELECT 'a' || i, 0, ${mine}, 0, 0 FROM generate_series(1, ${mine}) i;
  INSERT INTO unsettled VALUES ('a9', 700, 0);
  INSERT INTO change SELECT position, 0, author_actor_id, 'author', 'post.created', 1, author_actor_id, id FROM post;
  INSERT INTO change SELECT position, row_number() OVER (), 'me', 'owner', 'relation.established', 1, 'me', NULL, kind, target_id,
    target_actor_id, 1 FROM relation WHERE actor_id = 'me'`;

const numbered = (name: string, count: number) => Array.from({ length: count }, (_, n) => `${name}${n + 1}`);

/** Two hundred callers at one position: `me`, an anonymous one, and actors with one follow. */
const feedOfMany: ReadQuery<{ readonly cursor: number }, unknown> = {
  name: 'feed-of-many',
  values: ({ cursor }) => [cursor, 50],
  sql: ({ schema, parameter }) => `(
    WITH caller AS MATERIALIZED (
      SELECT n, CASE n WHEN 1 THEN NULL WHEN 2 THEN 'me' ELSE 'a' || n END AS actor_id, ${parameter(1)}::numeric AS cursor,
        true AS has_blocks
      FROM generate_series(1, 200) n)
    SELECT json_agg(answer.data) FROM ${sharedFeed.sql({ schema, parameter: (n) => parameter(n + 1) })} answer)`,
  present: (json) => json,
};

/** The memory pages that a read touches do not grow with the tables, even without statistics of Postgres. */
describe('the pages read do not grow with the tables', () => {
  let postgres: TestPostgres;
  const pools = {} as Record<Size, Pool>;

  beforeAll(async () => {
    postgres = await startTestPostgres();
    for (const size of ['small', 'large'] as const) {
      const client = openPlannedOnce({
        url: await postgres.createDatabase(),
        applicationName: 'test',
        maxConnections: 1,
        queryTimeoutMs: 60_000,
      });
      pools[size] = client;
      // Postgres collects no statistics of uncommitted rows.
      await client.query(
        `BEGIN; CREATE SCHEMA inc; SET search_path = inc;
        CREATE SCHEMA recovery; CREATE TABLE recovery.outstanding_restriction (event_id uuid, position numeric, subject text)`,
      );
      for (const { tables } of serving.projections) await client.query(tables);
      for (const { indexes = '' } of serving.projections) await client.query(indexes);
      await client.query(contentOf(sizes[size]));
    }
  });
  afterAll(async () => {
    await Promise.all(Object.values(pools).map((pool) => pool.end()));
    await postgres.stop();
  });

  async function costOf<Args>(size: Size, query: ReadQuery<Args, unknown>, args: Args, as: string | null) {
    const text = `
      WITH state AS MATERIALIZED (
          SELECT $1::numeric AS applied_position, 0::numeric AS cursors_valid_from, outstanding.hidden
          FROM (${outstandingSql('inc')}) outstanding),
        caller AS MATERIALIZED (SELECT $2::text AS actor_id, 'app'::text AS app_id, true AS has_blocks)
      SELECT ${query.sql(scopeOf('inc', 2))} AS data FROM state CROSS JOIN caller`;
    const values = [FAR, as, ...query.values(args)].map((value) =>
      value === null
        ? 'NULL'
        : Array.isArray(value)
          ? `'{${value.join()}}'`
          : `'${value as string | number}'`,
    );
    await pools[size].query(`PREPARE asked AS ${text}`);
    const { rows } = await pools[size].query<{ 'QUERY PLAN': [{ Plan: Record<string, number> }] }>(
      `EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) EXECUTE asked(${values.join(', ')})`,
    );
    const plans = await pools[size].query(
      "SELECT generic_plans, custom_plans FROM pg_prepared_statements WHERE name = 'asked'",
    );
    expect(plans.rows).toEqual([{ generic_plans: '1', custom_plans: '0' }]);
    await pools[size].query('DEALLOCATE asked');
    const plan = rows[0]?.['QUERY PLAN'][0].Plan;
    return (plan?.['Shared Hit Blocks'] ?? 0) + (plan?.['Shared Read Blocks'] ?? 0);
  }

  const page = { scan: 50, after: undefined };
  const deep = { scan: 50, after: [200_000n] };
  const after = (posts: number) => (end: number) => ({ scan: 50, after: [BigInt(end - posts * 100)] });
  const reads: [string, ReadQuery<never, unknown>, object | ((end: number) => object), string | null][] = [
    ['a timeline', timelineOf, page, 'me'],
    ['a later page of a timeline', timelineOf, after(500), 'me'],
    ['a page from before the start of follows', timelineOf, after(1_500), 'me'],
    ['a page from before the start of a timeline', timelineOf, after(2_500), 'me'],
    ['an account beside one that is not settled', actorById, { actorId: 'a1' }, 'me'],
    ['50 accounts by their ids', actorsByIds, { actorIds: numbered('a', 50) }, 'me'],
    ['an inbox', inboxOf, page, 'me'],
    ['the posts of an author', postsOf, { actorId: 'a1', ...page }, 'me'],
    ['replies', repliesOf, { postId: 'p1', ...page }, 'me'],
    ['a later page of replies', repliesOf, { postId: 'p1', ...deep }, null],
    ['followers', followersOf, { actorId: 'a1', ...page }, 'me'],
    ['the relations of the caller', ownRelations, page, 'me'],
    ['a whole view', reconcile, { cursor: undefined }, 'me'],
    ['a whole view for an anonymous caller', reconcile, { cursor: undefined }, null],
    ['a delta', reconcile, (end: number) => ({ cursor: end - 1_000 }), 'me'],
    ['a delta for an anonymous caller', reconcile, (end: number) => ({ cursor: end - 1_000 }), null],
    ['a page of the feed', readFeed, { cursor: 1_000, limit: 50 }, 'me'],
    ['an empty page of the feed', readFeed, { cursor: Number(FAR) - 1, limit: 50 }, 'me'],
    ['the feed of many callers', feedOfMany, { cursor: 1_000 }, null],
    ['an empty feed of many callers', feedOfMany, { cursor: Number(FAR) - 1 }, null],
  ];

  test.each(reads)('%s', async (_name, query, args, as) => {
    const argsAt = (size: Size) =>
      (typeof args === 'function' ? args(sizes[size].posts * 100) : args) as never;
    const small = await costOf('small', query, argsAt('small'), as);
    expect(await costOf('large', query, argsAt('large'), as)).toBeLessThanOrEqual(small * 1.5 + 20);
  });

  test('an account by its handle, which costs what its id costs', async () => {
    const byId = await costOf('large', actorById, { actorId: 'a1' }, 'me');
    const byHandle = await costOf('large', actorsByHandle, { handle: 'h1' }, 'me');
    expect(byHandle).toBeLessThanOrEqual(byId + 2);
  });
});

import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { servingWith } from '../../projections/groups.js';
import { posts } from '../../projections/posts/posts.projection.js';
import type { Projection } from '../../projections/runner/projection.js';
import type { Incarnation } from '../../projections/incarnations/incarnation.js';
import { Builds } from '../projections/support/builds.js';
import { MemoryLog } from '../projections/support/memory-log.js';
import { some } from '../projections/support/recorded.js';
import { WorkerBench } from '../projections/support/worker.js';
import { startTestPostgres } from '../support/postgres.js';
import type { TestPostgres } from '../support/postgres.js';
import { until } from '../support/until.js';

/** A value that differs from the log, in a column that the verification compares. */
const alterations: Readonly<Record<string, string>> = {
  actor: `display_name = 'somebody else'`,
  application: `name = 'another'`,
  restricted_post: `id = 'another'`,
  post: `text = 'another'`,
  post_count: 'posts = posts + 1',
  relation: 'generation = generation + 1',
  relation_count: 'followers = followers + 1',
  block: 'position = position + 1',
  feed_hour: 'position = position + 1',
  feed_window: 'begins = begins + 1',
  change: `kind = 'reset'`,
  intent: `post_id = 'another'`,
  merged_author: `actor_id = 'another'`,
  timeline: 'position = position + 1',
  inbox: 'read_at = 7',
  restriction: 'position = position + 1',
};

/** A row that no event produced. */
const additions: Readonly<Record<string, string>> = {
  actor: `'eve', NULL, 'Eve', '', '', 1, 0, 'active'`,
  application: `'other', 'Other'`,
  restricted_post: `'other'`,
  post: `'other', 7, 'ada', 'app', 'a text', 'public', 'published', 1, 0`,
  post_count: `'eve', 1`,
  relation: `'eve', 'follow', 'ada', 'ada', 1, 0, 7`,
  relation_count: `'eve', 1, 0, 0, 0`,
  block: `'eve', 'ada', 7`,
  feed_hour: `7, 7`,
  feed_window: `7`,
  change: `100000, 0, 'ada', 'author', 'post.deleted', 0, 'ada'`,
  intent: `'app', 'ada', 'other', 7`,
  merged_author: `'eve'`,
  timeline: `'eve', 7`,
  inbox: `'eve', 'other', 'follow', 'ada', 'ada', 0, 7`,
  restriction: `'00000000-0000-4000-8000-000000000000', 77, 7`,
};

const group = servingWith({ fanOutThreshold: 1 });

describe('the verification of an incarnation', () => {
  let postgres: TestPostgres;
  let builds: Builds;
  let log: MemoryLog;
  let incarnation: Incarnation;

  beforeAll(async () => {
    postgres = await startTestPostgres();
    builds = Builds.open(await postgres.createReadStore());
    log = new MemoryLog();
    log.add(some.application('app'), some.account('ada'), some.account('bob'), some.account('joe'));
    log.addWithMetadata(
      { appId: 'app', actorId: 'ada', intentId: 'i1' },
      some.post('p1', { text: 'Ada’s \\ "own"\twords\n' }),
    );
    log.add(some.post('p2'), some.post('p3'), some.edit('p2'), some.deletion('p3'));
    log.add(
      some.follow('bob'),
      some.like('bob'),
      some.unfollow('bob'),
      some.follow('bob', 'ada', { generation: 2 }),
    );
    log.add(some.block('joe', 'bob'), some.profileChange('bob'), some.inboxRead('ada'));
    // More followers than the threshold, so the author is merged.
    log.add(some.post('m1', { authorActorId: 'joe' }), some.follow('ada', 'joe'), some.follow('bob', 'joe'));
    log.addWitnessed(1, some.restriction('p2'));
    incarnation = await builds.begin(group);
    await builds.build(log, incarnation, { group });
  });
  afterAll(async () => {
    await builds.close();
    await postgres.stop();
  });

  /** Changes tables, verifies, and restores them. `change`: SQL with `$table` for each of them. */
  async function differencesAfter(tables: readonly string[], change: (table: string) => string) {
    const named = tables.map((table) => ({ table, name: `${incarnation.schemaName}.${table}` }));
    const each = (sql: (name: string, table: string) => string) =>
      builds.pool.query(named.map(({ name, table }) => sql(name, table)).join(';'));
    await each((name, table) => `CREATE TABLE kept_${table} AS SELECT * FROM ${name}`);
    try {
      await each((name, table) => change(table).replaceAll('$table', name));
      return (await builds.verify(log, incarnation, { group })).differences;
    } finally {
      await each(
        (name, table) =>
          `DELETE FROM ${name}; INSERT INTO ${name} SELECT * FROM kept_${table}; DROP TABLE kept_${table}`,
      );
    }
  }

  /**
   * One verification checks many tables. merged_author is altered alone, because it decides which timeline rows must
   * exist.
   */
  const tableSets = [
    Object.keys(alterations).filter((table) => table !== 'merged_author'),
    ['merged_author'],
  ];

  test('covers every table', async () => {
    const { rows } = await builds.pool.query<{ name: string }>(
      'SELECT tablename AS name FROM pg_tables WHERE schemaname = $1 ORDER BY tablename',
      [incarnation.schemaName],
    );
    const folded = group.projections.flatMap(({ verifications = [] }) =>
      verifications.map(({ table }) => table),
    );
    // Starts decide which rows of `timeline` must exist, marks which entries are read, and an account must be settled:
    // these are verified with others.
    expect([...folded, 'follow_start', 'inbox_mark', 'timeline_start', 'unsettled'].toSorted()).toEqual(
      rows.map(({ name }) => name),
    );
    expect(Object.keys(alterations).toSorted()).toEqual(folded.toSorted());
  });

  test('agrees with the build, and counts the rows of each table', async () => {
    const { tables, differences } = await builds.verify(log, incarnation, { group });
    expect(differences).toEqual([]);
    expect(tables).toContainEqual({
      table: 'post',
      rows: 4,
      digest: expect.stringMatching(/^[0-9a-f]{32}$/),
    });
    expect(tables.filter(({ rows }) => rows === 0)).toEqual([]);
  });

  test('leaves nothing behind', async () => {
    await builds.verify(log, incarnation, { group });
    const { rowCount } = await builds.pool.query(`SELECT FROM pg_namespace WHERE nspname LIKE 'verify_%'`);
    expect(rowCount).toBe(0);
  });

  test.each(tableSets.map((tables) => ({ tables })))(
    'detects an altered row in each table',
    async ({ tables }) => {
      const one = '(SELECT ctid FROM $table LIMIT 1)';
      const differences = await differencesAfter(
        tables,
        (table) => `UPDATE $table SET ${alterations[table]} WHERE ctid = ${one}`,
      );
      for (const table of tables)
        expect(differences).toContainEqual(
          expect.objectContaining({ table, example: expect.stringMatching(/^[a-z_]+ \S+/) }),
        );
    },
  );

  test.each(tableSets.map((tables) => ({ tables })))(
    'detects a missing row in each table',
    async ({ tables }) => {
      const differences = await differencesAfter(
        tables,
        () => 'DELETE FROM $table WHERE ctid = (SELECT ctid FROM $table LIMIT 1)',
      );
      for (const table of tables)
        expect(differences).toContainEqual(expect.objectContaining({ table, missing: 1, unexpected: 0 }));
    },
  );

  test.each(tableSets.map((tables) => ({ tables })))(
    'detects an extra row in each table',
    async ({ tables }) => {
      const differences = await differencesAfter(
        tables,
        (table) => `INSERT INTO $table VALUES (${additions[table]})`,
      );
      for (const table of tables)
        expect(differences).toContainEqual(expect.objectContaining({ table, missing: 0, unexpected: 1 }));
    },
  );

  test('detects a start of a timeline that lies behind rows that it does not have', async () => {
    const small = servingWith({ fanOutThreshold: 100, kept: 1, copied: 1 });
    const trimmed = await builds.begin(small);
    await builds.build(log, trimmed, { group: small });
    const starts = `${trimmed.schemaName}.timeline_start`;
    const differencesOf = async () => (await builds.verify(log, trimmed, { group: small })).differences;
    expect(await differencesOf()).toEqual([]);
    await builds.pool.query(`UPDATE ${starts} SET position = position + 1 WHERE actor_id = 'ada'`);
    expect(await differencesOf()).toEqual([]);
    await builds.pool.query(`DELETE FROM ${starts} WHERE actor_id = 'ada'`);
    expect(await differencesOf()).toEqual([expect.objectContaining({ table: 'timeline', unexpected: 0 })]);
    await builds.drop(trimmed);
  });

  test('prevents the publication of tables from which a handler lost rows, and names the difference', async () => {
    const create = posts.handlers['post.created'];
    const forgetful: Projection = {
      ...posts,
      handlers: {
        ...posts.handlers,
        'post.created': (recorded, write) => {
          if (recorded.event.data.postId !== 'p1') create?.(recorded, write);
        },
      },
    };
    const projections = group.projections.map((each) => (each.name === 'posts' ? forgetful : each));
    const bench = WorkerBench.open(await postgres.createReadStore());
    const few = new MemoryLog();
    few.add(some.founding('n'), some.account('ada'), some.post('p1'), some.post('p2'));
    await bench.start(few, { ...group, projections }).ended;
    expect((await bench.stopped())?.reason).toMatch(
      /^Table post of incarnation \w+ differs from the log: 1 rows are missing, .* id p1\. Other tables differ, too:/,
    );
    expect(await bench.state()).toBeUndefined();

    // The failed build is discarded: with a corrected handler it begins again.
    bench.start(few, group);
    await until(() => bench.state());
    expect((await bench.posts()).ids).toEqual(['p1', 'p2']);
    expect(await bench.stopped()).toBeUndefined();
    await bench.close();
  });
});

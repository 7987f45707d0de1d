import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Client, Pool } from 'pg';
import { pino } from 'pino';
import { serving } from '../../projections/groups.js';
import { pendingRewrites } from '../../src/erasure/pending-rewrites.js';
import { RewriteSession } from '../../src/erasure/rewrite-session.js';
import { Rewrites } from '../../src/erasure/rewrites.js';
import type { RewritesOptions } from '../../src/erasure/rewrites.js';
import { createIncarnation, dropIncarnation } from '../../src/incarnations/incarnation.js';
import { openVaultDatabase } from '../../src/log/open-log.js';
import { openWitness } from '../../src/witness/open-witness.js';
import type { Witness } from '../../src/witness/witness.js';
import { startTestPostgres } from '../support/postgres.js';
import type { TestPostgres } from '../support/postgres.js';
import { until } from '../support/until.js';

/** Position of the published read models. */
const POSITION = 1_000;
const ROWS = 2_000;

let postgres: TestPostgres;
let urls: { readonly read: string; readonly vault: string };
let pool: Pool;
let vault: Client;
let witness: Witness;
let hour: number;
const lines: { readonly table?: string; readonly msg: string }[] = [];

/** Its rounds are those that the process would make every two seconds. */
class RoundsOnDemand extends Rewrites {
  round(): Promise<void> {
    return this.runOnce();
  }
}

const rewritesWith = (options: Partial<RewritesOptions> = {}): RoundsOnDemand =>
  new RoundsOnDemand({
    pool,
    urls,
    witness,
    clock: { now: () => Date.UTC(2030, 0, 1, hour, 30) },
    hour: 3,
    logger: pino({}, { write: (line: string) => void lines.push(JSON.parse(line) as { msg: string }) }),
    ...options,
  });

beforeAll(async () => {
  postgres = await startTestPostgres();
});
afterAll(() => postgres?.stop());

beforeEach(async () => {
  urls = { read: await postgres.createReadStore(), vault: await postgres.createDatabase() };
  pool = new Pool({ connectionString: urls.read, max: 4 });
  await (await openVaultDatabase({ url: urls.vault, applicationName: 'test', maxConnections: 1 })).close();
  vault = new Client(urls.vault);
  await vault.connect();
  witness = openWitness({ url: await postgres.createDatabase(), applicationName: 'test' });
  await begin('one');
  await pool.query(
    `UPDATE recovery.incarnation SET applied_position = ${POSITION}, applied_event_id = gen_random_uuid();
    INSERT INTO recovery.publication (incarnation, status, network_id) VALUES ('one', 'serving', 'n');
    INSERT INTO inc_one.post SELECT 'p' || i, i, 'ada', 'app', repeat(md5(i::text), 8), 'public', 'published', 1, i
      FROM generate_series(1, ${ROWS}) i`,
  );
  hour = 12;
  lines.length = 0;
});
afterEach(async () => {
  await vault.end();
  await witness.close();
  await pool.end();
});

async function begin(id: string, versions = {}): Promise<void> {
  const client = await pool.connect();
  const tables = serving.projections.map((each) => each.tables);
  await createIncarnation(client, { id, versions, tables, now: 0 });
  client.release();
}

let people = 0;

/** Finishes an erasure as the release before does it: without a request. Returns the person. */
async function erase(): Promise<string> {
  const actorId = `person-${people++}`;
  await pool.query('UPDATE inc_one.post SET text = $1', ['']);
  await pool.query(
    `INSERT INTO authority.account (actor_id, display_name, email, state, registered_at, revision, erasure_finished_at)
    VALUES ($1, '', '', 'erased', 0, 1, 1)`,
    [actorId],
  );
  return actorId;
}

const stateOf = async (table: string): Promise<string | undefined> =>
  (await pendingRewrites(pool)).find((each) => each.table === table)?.state;
const tablesIn = async (state: string): Promise<readonly string[]> =>
  (await pendingRewrites(pool)).filter((each) => each.state === state).map(({ table }) => table);
const bytesOf = async (table: string): Promise<number> => {
  const { rows } = await pool.query<{ bytes: string }>('SELECT pg_relation_size($1::regclass) AS bytes', [
    table,
  ]);
  return Number(rows[0]?.bytes);
};
const filesOf = async (tables: readonly string[], database: Pool | Client): Promise<readonly string[]> => {
  const sql = 'SELECT pg_relation_filenode(name::regclass)::text AS file FROM unnest($1::text[]) AS name';
  return (await database.query<{ file: string }>(sql, [tables])).rows.map(({ file }) => file);
};
const rewritten = (): readonly string[] =>
  lines.filter(({ msg }) => msg.startsWith('rewrote')).map(({ table }) => table ?? '');
/** Other spec files use the server too, and hold snapshots for a moment. */
const untilRewritten = (rewrites: RoundsOnDemand, table: string) =>
  until(async () => {
    await rewrites.round();
    return (await stateOf(table)) === 'checkpoint';
  });

const inRead = [
  'authority.account',
  'authority.credential',
  'authority.known_browser',
  'authority.oidc_record',
  'inc_one.actor',
  'inc_one.post',
  'pg_catalog.pg_statistic',
];
const inVault = ['pg_catalog.pg_statistic', 'public.person_key'];

describe('the rewrites', () => {
  it('replace the files of every table, in both databases, also after an erasure by the release before', async () => {
    const before = [...(await filesOf(inRead, pool)), ...(await filesOf(inVault, vault))];
    const indexes = ['inc_one.post_pkey', 'authority.account_handle'];
    const indexesBefore = await filesOf(indexes, pool);
    const rewrites = rewritesWith();
    await rewrites.round();
    expect(await pendingRewrites(pool)).toEqual([]);
    await erase();
    expect((await tablesIn('rewrite')).toSorted()).toEqual([...inRead, ...inVault].toSorted());
    const size = await bytesOf('inc_one.post');
    await until(async () => {
      await rewrites.round();
      return (await tablesIn('checkpoint')).length === before.length;
    });
    const after = [...(await filesOf(inRead, pool)), ...(await filesOf(inVault, vault))];
    expect(after.filter((file) => before.includes(file))).toEqual([]);
    expect((await filesOf(indexes, pool)).filter((file) => indexesBefore.includes(file))).toEqual([]);
    expect(await bytesOf('inc_one.post')).toBeLessThan(size / 2);
  });

  it('wait for sessions that can still see the erased rows, which a rewrite would copy', async () => {
    const reader = new Client(urls.read);
    await reader.connect();
    await reader.query('BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT FROM inc_one.actor');
    await erase();
    const rewrites = rewritesWith();
    // Those of the vault, where no session has a snapshot.
    await untilRewritten(rewrites, 'public.person_key');
    expect(rewritten()).toEqual(['public.person_key', 'pg_catalog.pg_statistic'].toSorted());
    const size = await bytesOf('inc_one.post');
    await reader.query('COMMIT');
    await untilRewritten(rewrites, 'inc_one.post');
    expect(await bytesOf('inc_one.post')).toBeLessThan(size / 2);
    await reader.end();
  });

  it('let reads go on behind a session that locks a table, and come back to it', async () => {
    const holder = new Client(urls.read);
    await holder.connect();
    await holder.query('BEGIN; LOCK TABLE authority.account IN ROW EXCLUSIVE MODE');
    await erase();
    const rewrites = rewritesWith();
    const waitsForLock = `SELECT FROM pg_locks WHERE NOT granted AND relation = 'authority.account'::regclass`;
    const round = until(async () => {
      await rewrites.round();
      return (await stateOf('inc_one.post')) === 'checkpoint';
    });
    await until(async () => (await pool.query(waitsForLock)).rowCount);
    // Queues behind the rewrite, and is answered while the holder still has its lock.
    const { rowCount } = await pool.query('SELECT FROM authority.account');
    expect(rowCount).toBe(1);
    await round;
    expect(await stateOf('authority.account')).toBe('rewrite');
    expect(rewritten()).not.toContain('authority.account');
    await holder.query('COMMIT');
    await holder.end();
    await untilRewritten(rewrites, 'authority.account');
  });

  it('are done by one process at a time', async () => {
    await erase();
    const processes = [rewritesWith(), rewritesWith()];
    await witness.alone('erasure-rewrites', async () => {
      for (const each of processes) await each.round();
    });
    expect(rewritten()).toEqual([]);
    await until(async () => {
      await Promise.all(processes.map((each) => each.round()));
      return (await tablesIn('rewrite')).length === 0;
    });
    expect(rewritten().toSorted()).toEqual([...inRead, ...inVault].toSorted());
  });

  it('leave large tables to the set hour, and to a rebuild if there is none', async () => {
    await erase();
    const never = rewritesWith({ atOnceBytes: 64 * 1024, hour: 'off' });
    const nightly = rewritesWith({ atOnceBytes: 64 * 1024 });
    for (const rewrites of [never, nightly]) await untilRewritten(rewrites, 'authority.credential');
    expect(await stateOf('inc_one.post')).toBe('large');
    hour = 3;
    await never.round();
    await never.round();
    expect(await stateOf('inc_one.post')).toBe('large');
    await untilRewritten(nightly, 'inc_one.post');
  });

  it('wait until a build has applied the erasure, and forget one that was dropped', async () => {
    await begin('build');
    await begin('abandoned');
    await begin('retired');
    await begin('past', { as_of: 1 });
    await pool.query(`UPDATE recovery.incarnation SET retired_at = now() WHERE incarnation = 'retired'`);
    await erase();
    const rewrites = rewritesWith();
    for (const table of ['inc_one.post', 'inc_retired.post', 'inc_past.post'])
      await untilRewritten(rewrites, table);
    const unsettled = ['inc_abandoned.actor', 'inc_abandoned.post', 'inc_build.actor', 'inc_build.post'];
    expect((await tablesIn('rewrite')).toSorted()).toEqual(unsettled);
    await pool.query(
      `UPDATE recovery.incarnation SET applied_position = ${POSITION}, applied_event_id = gen_random_uuid()
      WHERE incarnation = 'build'`,
    );
    const client = await pool.connect();
    await dropIncarnation(client, { incarnation: 'abandoned', schemaName: 'inc_abandoned' });
    client.release();
    await untilRewritten(rewrites, 'inc_build.post');
    expect(await tablesIn('rewrite')).toEqual([]);
    expect(await stateOf('inc_abandoned.post')).toBeUndefined();
  });

  it('happen again for an erasure that had to be finished again, but not twice in a minute', async () => {
    const actorId = await erase();
    const rewrites = rewritesWith();
    await untilRewritten(rewrites, 'inc_one.post');
    await pool.query('UPDATE authority.account SET erasure_finished_at = NULL WHERE actor_id = $1', [
      actorId,
    ]);
    expect(await stateOf('inc_one.post')).toBe('rewrite');
    await pool.query('UPDATE authority.account SET erasure_finished_at = 2 WHERE actor_id = $1', [actorId]);
    for (let times = 0; times < 3; times++) await rewrites.round();
    expect(await stateOf('inc_one.post')).toBe('rewrite');
    expect(rewritten().filter((table) => table === 'inc_one.post')).toEqual(['inc_one.post']);
    await pool.query(`UPDATE authority.rewrite SET rewritten_at = rewritten_at - interval '1 minute'`);
    await untilRewritten(rewrites, 'inc_one.post');
  });
});

describe('a session that rewrites', () => {
  it('reports a table that takes too long, and one that the role may not rewrite', async () => {
    const session = new RewriteSession(urls.read);
    await session.open();
    expect(await session.rewrite('inc_one.post', 1)).toBe('slow');
    expect(await session.rewrite('pg_catalog.pg_database', 0)).toBe('refused');
    expect(await session.rewrite('inc_one.post', 0)).toBe('rewritten');
    await session.close();
  });
});

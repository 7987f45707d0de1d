import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Client, Pool } from 'pg';
import { pino } from 'pino';
import { serving } from '../../projections/groups.js';
import { pendingRewrites } from '../../src/background/erasure/pending-rewrites.js';
import { requestRewrites } from '../../src/background/erasure/rewrite-requests.js';
import { RewriteSession } from '../../src/background/erasure/rewrite-session.js';
import { Rewrites } from '../../src/background/erasure/rewrites.js';
import type { RewritesOptions } from '../../src/background/erasure/rewrites.js';
import { createIncarnation, dropIncarnation } from '../../projections/incarnations/incarnation.js';
import { openVaultDatabase } from '../../src/log/open-log.js';
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
let lockUrl: string;
/** What the clock is ahead of the time of this process. */
let ahead: number;
const lines: { readonly table?: string; readonly code?: string; readonly msg: string }[] = [];
const setTime = (day: number, hour: number): void => {
  ahead = Date.UTC(2030, 0, day, hour, 10) - performance.now();
};

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
    lockUrl,
    clock: { now: () => performance.now() + ahead },
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
  lockUrl = await postgres.createDatabase();
  await begin('one');
  await pool.query(
    `UPDATE recovery.incarnation SET applied_position = ${POSITION}, applied_event_id = gen_random_uuid();
    INSERT INTO recovery.publication (incarnation, status, network_id) VALUES ('one', 'serving', 'n');
    INSERT INTO inc_one.post SELECT 'p' || i, i, 'ada', 'app', repeat(md5(i::text), 8), 'public', 'published', 1, i
      FROM generate_series(1, ${ROWS}) i`,
  );
  setTime(1, 12);
  lines.length = 0;
});
afterEach(async () => {
  await vault.end();
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

/**
 * Lets every rewrite of a table with rows fail, and counts it in a sequence, as its error takes back all else. Postgres
 * computes an index's expression by itself, too, when it analyzes the table in the background: not here.
 */
async function breakIndexOf(table: string): Promise<void> {
  await pool.query(`
    ALTER TABLE ${table} SET (autovacuum_enabled = false);
    CREATE FUNCTION public.indexed(text) RETURNS text IMMUTABLE LANGUAGE sql AS 'SELECT $1';
    CREATE INDEX broken ON ${table} (public.indexed(${table.endsWith('post') ? 'id' : 'actor_id'}));
    CREATE SEQUENCE public.tries`);
}
const breakIndex = () =>
  pool.query(`
    CREATE OR REPLACE FUNCTION public.indexed(text) RETURNS text IMMUTABLE LANGUAGE plpgsql AS $$
    BEGIN
      PERFORM nextval('public.tries');
      RAISE EXCEPTION 'no space left' USING ERRCODE = 'disk_full', DETAIL = $1;
    END $$`);
const tries = async (): Promise<number> => {
  const sql = 'SELECT CASE WHEN is_called THEN last_value ELSE 0 END AS tries FROM public.tries';
  return Number((await pool.query<{ tries: string }>(sql)).rows[0]?.tries);
};

const inRead = [
  'authority.account',
  'authority.credential',
  'authority.known_browser',
  'authority.mail_request',
  'authority.oidc_record',
  'authority.recovery_link',
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

  it('delete what the release before left of the person, whose tables of sign-in it does not know', async () => {
    const actorId = await erase();
    await pool.query(
      `INSERT INTO authority.known_browser SELECT sha256(id::bytea), id, 1, '' FROM unnest($1::text[]) AS id`,
      [[actorId, 'ada']],
    );
    await pool.query(
      `INSERT INTO authority.wrong_password SELECT id, '2030-01-01', 1 FROM unnest($1::text[]) AS id`,
      [[actorId, 'ada']],
    );
    await pool.query(
      `INSERT INTO authority.recovery_link SELECT sha256(id::bytea), id, '', '', 1 FROM unnest($1::text[]) AS id`,
      [[actorId, 'ada']],
    );
    await rewritesWith().round();
    for (const table of ['known_browser', 'wrong_password', 'recovery_link']) {
      const { rows } = await pool.query(`SELECT actor_id FROM authority.${table}`);
      expect([table, rows]).toEqual([table, [{ actor_id: 'ada' }]]);
    }
  });

  it('wait for requests for mails from before an erasure, which may be about its person', async () => {
    const request = (at: number) =>
      pool.query(`INSERT INTO authority.mail_request VALUES (gen_random_uuid(), $1, $1, 'x')`, [at]);
    await request(1);
    await request(2);
    await erase();
    const rewrites = rewritesWith();
    await until(async () => {
      await rewrites.round();
      return (await tablesIn('rewrite')).join() === 'authority.mail_request';
    });
    await rewrites.round();
    expect(await stateOf('authority.mail_request')).toBe('rewrite');
    await pool.query('DELETE FROM authority.mail_request WHERE requested_at = 1');
    await untilRewritten(rewrites, 'authority.mail_request');
    expect((await pool.query('SELECT FROM authority.mail_request')).rowCount).toBe(1);
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
    const holder = new Client(lockUrl);
    await holder.connect();
    await holder.query("SELECT pg_advisory_lock(hashtextextended('erasure-rewrites', 0))");
    const rounds = processes.map((each) => each.round());
    const refused = `SELECT FROM pg_stat_activity WHERE application_name = 'plaza-erasure-rewrites' AND state = 'idle'
      AND query LIKE 'SELECT pg_try_advisory_lock%'`;
    await until(async () => (await holder.query(refused)).rowCount === processes.length);
    expect(rewritten()).toEqual([]);
    await holder.end();
    await Promise.all(rounds);
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
    setTime(2, 3);
    await never.round();
    await never.round();
    expect(await stateOf('inc_one.post')).toBe('large');
    await untilRewritten(nightly, 'inc_one.post');
  });

  it('do a large table once in its hour, for all erasures before it', async () => {
    await erase();
    const rewrites = rewritesWith({ atOnceBytes: 64 * 1024 });
    await untilRewritten(rewrites, 'authority.credential');
    await erase();
    await rewrites.round();
    setTime(2, 3);
    await untilRewritten(rewrites, 'inc_one.post');
    const roundsOfNone = async () => {
      for (let times = 0; times < 3; times++) await rewrites.round();
      expect(await stateOf('inc_one.post')).toBe('large');
      expect(rewritten().filter((table) => table === 'inc_one.post')).toHaveLength(1);
    };
    const post = `WHERE table_name = 'inc_one.post'`;
    await erase();
    await pool.query(
      `UPDATE authority.rewrite SET rewritten_at = rewritten_at - interval '2 minutes' ${post}`,
    );
    await roundsOfNone();
    // As after a checkpoint in between.
    await pool.query(`DELETE FROM authority.rewrite ${post}`);
    await erase();
    await requestRewrites(pool);
    await pool.query(
      `UPDATE authority.rewrite SET is_large = true, requested_at = '2030-01-02T03:05Z' ${post}`,
    );
    await roundsOfNone();
    setTime(3, 3);
    await untilRewritten(rewrites, 'inc_one.post');
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

describe('beside what fails, the rewrites', () => {
  it('go on with the other tables and the vault, once each, and name the table and its fault once', async () => {
    await pool.query(`INSERT INTO inc_one.actor VALUES ('ada', 'ada', '', '', '', 1, 1, 'active')`);
    await breakIndexOf('inc_one.actor');
    await erase();
    await breakIndex();
    const rewrites = rewritesWith();
    const others = [...inRead, ...inVault].filter((table) => table !== 'inc_one.actor').toSorted();
    await until(async () => {
      await rewrites.round();
      return (await tablesIn('rewrite')).length === 1 && (await tries()) > 1;
    });
    expect(await tablesIn('rewrite')).toEqual(['inc_one.actor']);
    expect(rewritten().toSorted()).toEqual(others);
    const faults = lines.filter(({ msg }) => msg.startsWith('Postgres fails'));
    expect(faults).toEqual([
      expect.objectContaining({ table: 'inc_one.actor', code: '53100', reason: 'no space left' }),
    ]);
    expect(JSON.stringify(faults)).not.toContain('ada');
    await pool.query('DROP INDEX inc_one.broken');
    await untilRewritten(rewritesWith(), 'inc_one.actor');
  });

  it('try a large table again on the next day', async () => {
    await breakIndexOf('inc_one.post');
    await erase();
    await breakIndex();
    const rewrites = rewritesWith({ atOnceBytes: 64 * 1024 });
    await untilRewritten(rewrites, 'authority.credential');
    setTime(2, 3);
    const untilTried = (times: number) =>
      until(async () => {
        await rewrites.round();
        return (await tries()) === times;
      });
    await untilTried(1);
    // Later than the longest pause of a small table.
    ahead += 120_000;
    for (let times = 0; times < 3; times++) await rewrites.round();
    expect(await tries()).toBe(1);
    setTime(3, 3);
    await untilTried(2);
  });

  it('go on in the vault if the read store takes no session', async () => {
    await erase();
    const url = new URL(urls.read);
    url.pathname = 'none';
    await untilRewritten(rewritesWith({ urls: { ...urls, read: url.href } }), 'public.person_key');
    expect(await stateOf('inc_one.post')).toBe('rewrite');
    expect(lines.map(({ msg }) => msg)).toContain(
      'rewrites of tables with bytes of erased data interrupted; retrying',
    );
  });
});

describe('a session that rewrites', () => {
  it('reports a table that takes too long, one that the role may not rewrite, and one that was dropped', async () => {
    const session = new RewriteSession(urls.read);
    await session.open();
    expect(await session.rewrite('inc_one.post', 1)).toBe('slow');
    expect(await session.rewrite('pg_catalog.pg_database', 0)).toBe('refused');
    expect(await session.rewrite('inc_one.post', 0)).toBe('rewritten');
    for (const table of ['inc_one.none', 'inc_none.post'])
      expect(await session.rewrite(table, 0)).toBe('gone');
    await session.close();
  });
});

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { pino } from 'pino';
import { ExpiredRecords } from '../../src/doors/auth/storage/expired-records.js';
import { AuthorityStore } from '../../src/base/store/authority/authority-store.js';
import { openReadStore } from '../../src/base/store/database.js';
import type { Postgres } from '../../src/base/store/postgres.js';
import { startTestPostgres } from '../support/postgres.js';
import type { TestPostgres } from '../support/postgres.js';

const HOUR = 3_600_000;
const NOW = Date.UTC(2030, 0, 1);

let server: TestPostgres;
let database: Postgres;
let records: ExpiredRecords;

beforeAll(async () => {
  server = await startTestPostgres();
  database = await openReadStore({
    url: await server.createReadStore(),
    applicationName: 'test',
    maxConnections: 4,
    queryTimeoutMs: 5_000,
  });
  const store = new AuthorityStore(database.dataSource);
  records = new ExpiredRecords(store, { now: () => NOW }, pino({ level: 'silent' }));
});

afterAll(async () => {
  await database.close();
  await server.stop();
});

const insertRecords = (kind: string, count: number, milliseconds: number, consumed = false) =>
  database.pool.query(
    `INSERT INTO authority.oidc_record (kind, key_hash, payload, expires_at, consumed_at)
     SELECT $1, sha256(($1 || $3 || n)::bytea), '{}', to_timestamp($3::double precision / 1000), $4
     FROM generate_series(1, $2) n`,
    [kind, count, NOW + milliseconds, consumed ? new Date(NOW - HOUR) : null],
  );

const remainingRecords = async () =>
  (await database.pool.query('SELECT kind FROM authority.oidc_record ORDER BY kind')).rows;

describe('expired records of the authorization server', () => {
  it('are deleted in batches, by several servers concurrently', async () => {
    await insertRecords('AccessToken', 250, -HOUR);
    await insertRecords('Session', 250, -2 * HOUR, true);
    await insertRecords('RefreshToken', 1, HOUR, true);
    await insertRecords('Interaction', 1, -1_000);
    const deleted = await Promise.all([1, 2, 3].map(() => records.sweep(20)));
    expect(deleted.reduce((sum, each) => sum + each)).toBe(500);
    // A used refresh token stays until it expires, to detect reuse. Just expired records stay, since clocks differ.
    expect(await remainingRecords()).toEqual([{ kind: 'Interaction' }, { kind: 'RefreshToken' }]);
    expect(await records.sweep()).toBe(0);
  });

  it('are deleted with the counters of limits whose windows have ended', async () => {
    await database.pool.query(
      `INSERT INTO limits.used (key, points, expire) VALUES ('ended', 7, $1), ('going on', 7, $2)`,
      [NOW - HOUR, NOW + HOUR],
    );
    expect(await records.sweep()).toBe(1);
    expect((await database.pool.query('SELECT key FROM limits.used')).rows).toEqual([{ key: 'going on' }]);
  });

  it('are deleted with the signs that claimers gave more than a day ago', async () => {
    await database.pool.query(
      `INSERT INTO cases.activity (case_id, operator_id, active_at) VALUES ('old', 'op', $1), ('idle', 'op', $2)`,
      [NOW - 25 * HOUR, NOW - 23 * HOUR],
    );
    expect(await records.sweep()).toBe(1);
    expect((await database.pool.query('SELECT case_id FROM cases.activity')).rows).toEqual([
      { case_id: 'idle' },
    ]);
  });
});

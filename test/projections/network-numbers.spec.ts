import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { NetworkNumbers } from '../../src/doors/api/resources/landing/network-numbers.js';
import { openReadStore } from '../../src/base/store/database.js';
import type { Postgres } from '../../src/base/store/postgres.js';
import { startTestPostgres } from '../support/postgres.js';
import type { TestPostgres } from '../support/postgres.js';

const DAY_MS = 24 * 60 * 60_000;
const MINUTE_MS = 60_000;
const START = 100 * DAY_MS;

let postgres: TestPostgres;
let database: Postgres;
let now: number;
let position = 0;

beforeAll(async () => {
  postgres = await startTestPostgres();
  const url = await postgres.createReadStore();
  database = await openReadStore({ url, applicationName: 'test', maxConnections: 2 });
  await database.pool.query(
    `INSERT INTO recovery.incarnation (incarnation, schema_name, versions, created_at) VALUES ('i', 'inc_i', '{}', now())`,
  );
});

afterAll(async () => {
  await database?.close();
  await postgres?.stop();
});

beforeEach(async () => {
  now = START;
  await database.pool.query(`
    TRUNCATE audit.event;
    DELETE FROM recovery.publication;
    INSERT INTO recovery.publication (incarnation, status, network_id) VALUES ('i', 'serving', 'n')`);
});

const open = (setting: 'on' | 'off' = 'on') => new NetworkNumbers(database.pool, { now: () => now }, setting);

async function happen(type: string, at: number, times = 1): Promise<void> {
  await database.pool.query(
    `INSERT INTO audit.event (position, event_id, at, type, stream, revision, subject, request_id)
    SELECT $3::bigint + n, gen_random_uuid(), $2, $1, 's', 0, '{}', 'r' FROM generate_series(1, $4::integer) n`,
    [type, at, position, times],
  );
  position += times;
}

it('are of posts and accounts of the last seven days', async () => {
  await happen('post.created', START - 7 * DAY_MS - 1);
  await happen('post.created', START - 7 * DAY_MS, 2);
  await happen('post.created', START);
  await happen('account.registered', START - 1, 2);
  await happen('account.erased', START);
  expect(await open().read()).toEqual({ at: START, posts: 3, accounts: 2 });
});

it('are made once a minute', async () => {
  const numbers = open();
  expect(await numbers.read()).toEqual({ at: START, posts: 0, accounts: 0 });
  await happen('post.created', START);
  now += MINUTE_MS - 1;
  expect(await numbers.read()).toEqual({ at: START, posts: 0, accounts: 0 });
  now += 1;
  expect(await numbers.read()).toEqual({ at: now, posts: 1, accounts: 0 });
});

it('are counted up to a bound', async () => {
  await happen('post.created', START, 10_001);
  expect((await open().read())?.posts).toBe(10_000);
});

it('are none unless the setting says so, and none in quarantine', async () => {
  await happen('post.created', START);
  expect(await open('off').read()).toBeUndefined();
  await database.pool.query(`UPDATE recovery.publication SET status = 'quarantined', reason = 'a test'`);
  expect(await open().read()).toBeUndefined();
});

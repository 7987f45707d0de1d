import { randomBytes } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { Client } from 'pg';
import { openLog } from '../../src/log/open-log.js';
import type { OpenLog } from '../../src/log/open-log.js';
import { PersonErased } from '../../src/log/vault/key-vault.js';
import type { KeyVault } from '../../src/log/vault/key-vault.js';
import { startTestPostgres } from '../support/postgres.js';
import type { TestPostgres } from '../support/postgres.js';
import { until } from '../support/until.js';

/** A third of the time for which a process caches a key without a notification. */
const NOTIFIED_WITHIN_MS = 20_000;

describe('a destroyed key', () => {
  let postgres: TestPostgres;
  let url: string;
  let database: Client;
  let [one, other]: OpenLog[] = [];

  beforeAll(async () => {
    postgres = await startTestPostgres();
    url = await postgres.createDatabase();
    database = new Client(url);
    await database.connect();
  });
  afterAll(async () => {
    await database.end();
    await postgres.stop();
  });
  const open = (applicationName: string) =>
    openLog({ eventStoreUrl: 'esdb://127.0.0.1:1?tls=false', vaultDatabaseUrl: url, applicationName });
  beforeEach(async () => {
    [one, other] = [await open('one'), await open('other')];
  });
  afterEach(async () => {
    await one?.close();
    await other?.close();
  });

  const vaultOf = (log: OpenLog | undefined): KeyVault => {
    if (!log) throw new Error('not opened');
    return log.vault;
  };
  const newPerson = () => `p${randomBytes(6).toString('hex')}`;
  const isErased = (vault: KeyVault, person: string) =>
    vault.keyOf(person).then(
      () => false,
      (error: unknown) => error instanceof PersonErased,
    );

  test('is dropped from the cache of every process', async () => {
    const [here, there] = [vaultOf(one), vaultOf(other)];
    const person = newPerson();
    const { id } = await there.keyOf(person);
    await here.keyOf(person);
    expect(await here.destroy(person, id)).toBe(true);
    expect(await isErased(here, person)).toBe(true);
    await until(() => isErased(there, person), NOTIFIED_WITHIN_MS);
    expect(await there.keysById([id])).toEqual(new Map([[id, undefined]]));
    expect(await here.destroy(person, id)).toBe(false);
  });

  test('is not kept in the cache of a process that missed the notification', async () => {
    const [here, there] = [vaultOf(one), vaultOf(other)];
    const person = newPerson();
    await there.keyOf(person);
    const listening = `SELECT pid FROM pg_stat_activity WHERE application_name = 'other-keys'`;
    const before = (await database.query<{ pid: number }>(listening)).rows[0]?.pid;
    await database.query(`SELECT pg_terminate_backend(${before})`);
    await until(async () => (await database.query(listening)).rows[0]?.pid !== before);
    await here.destroy(person, undefined);
    expect(await until(() => isErased(there, person), NOTIFIED_WITHIN_MS)).toBe(true);
  });

  test('is recorded for a person who never had one, under its id in another vault', async () => {
    const vault = vaultOf(one);
    const person = newPerson();
    const keyId = '6f6a9b1c-58f4-4d8f-9a51-7f6a1c2d3e4f';
    expect(await vault.destroy(person, keyId)).toBe(false);
    expect(await isErased(vault, person)).toBe(true);
    expect(await vault.keysById([keyId])).toEqual(new Map([[keyId, undefined]]));
  });

  test('is told apart from restored and unknown ones', async () => {
    const vault = vaultOf(one);
    const [gone, back, unknown] = [newPerson(), newPerson(), newPerson()];
    for (const person of [gone, back]) {
      await vault.keyOf(person);
      await vault.destroy(person, undefined);
    }
    await database.query(
      `UPDATE person_key SET key = '\\x00', destroyed_at = NULL WHERE person_id = '${back}'`,
    );
    const left = await vault.notDestroyed([gone, back, unknown]);
    expect(left.toSorted()).toEqual([back, unknown].toSorted());
  });
});

import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Pool } from 'pg';
import { SignInAdmission } from '../../src/doors/api/admission/sign-in-admission.js';
import { beginAuthorityRebuild } from '../../projections/incarnations/authority-rebuild.js';
import { openReadStore } from '../../src/base/store/database.js';
import type { Postgres } from '../../src/base/store/postgres.js';
import { startTestPostgres } from '../support/postgres.js';
import type { TestPostgres } from '../support/postgres.js';

let postgres: TestPostgres;
let database: Postgres;
let pool: Pool;

beforeAll(async () => {
  postgres = await startTestPostgres();
  const url = await postgres.createReadStore();
  database = await openReadStore({ url, applicationName: 'test', maxConnections: 4 });
  ({ pool } = database);
  await pool.query(`
    INSERT INTO recovery.incarnation (incarnation, schema_name, versions, created_at) VALUES ('i', 'inc_i', '{}', now());
    INSERT INTO recovery.publication (incarnation, status, network_id) VALUES ('i', 'serving', 'n')`);
});

afterAll(async () => {
  await database?.close();
  await postgres?.stop();
});

const proof = {
  unavailableReason: () => undefined,
  isLogCompared: true,
  reachWitness: () => Promise.resolve(),
};

it('answers each caller with a state that is no older than the call, even for concurrent calls', async () => {
  const admission = new SignInAdmission(pool, proof);
  for (let round = 0; round < 100; round++) {
    const status = round % 2 === 0 ? 'quarantined' : 'serving';
    const before = [admission.unavailableMessage(), admission.unavailableMessage()];
    const reason = status === 'serving' ? null : 'a test';
    await pool.query('UPDATE recovery.publication SET status = $1, reason = $2', [status, reason]);
    const since = await Promise.all([admission.unavailableMessage(), admission.unavailableMessage()]);
    await Promise.all(before);
    const isClosed = since.map((why) => why !== undefined);
    expect(isClosed).toEqual([status === 'quarantined', status === 'quarantined']);
  }
});

it('is unavailable during an authority rebuild, whatever is published', async () => {
  const admission = new SignInAdmission(pool, proof);
  await beginAuthorityRebuild(pool, 0);
  expect(await admission.unavailableMessage()).toContain('being set up');
  await pool.query('DELETE FROM authority.deriving');
  expect(await admission.unavailableMessage()).toBeUndefined();
});

it('asks again after a failure', async () => {
  const admission = new SignInAdmission(pool, proof);
  await pool.query('ALTER TABLE recovery.publication RENAME TO away');
  const refused = await Promise.allSettled([admission.unavailableMessage(), admission.unavailableMessage()]);
  expect(refused.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  await pool.query('ALTER TABLE recovery.away RENAME TO publication');
  expect(await admission.unavailableMessage()).toBeUndefined();
});

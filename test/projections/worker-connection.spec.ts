import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Client } from 'pg';
import { WorkerConnection } from '../../projections/runner/worker-connection.js';
import { SESSION_TIMEOUT_SECONDS } from '../../src/base/store/end-when-silent.js';
import { startTestPostgres } from '../support/postgres.js';
import type { TestPostgres } from '../support/postgres.js';
import { until } from '../support/until.js';

describe('a worker that freezes within a transaction', () => {
  let postgres: TestPostgres;

  beforeAll(async () => {
    postgres = await startTestPostgres();
  });
  afterAll(() => postgres.stop());

  test('delays a suspension only for a moment', async () => {
    const url = await postgres.createDatabase();
    const other = new Client({ connectionString: url, statement_timeout: 40_000 });
    await other.connect();
    await other.query(`CREATE TABLE application (state text); INSERT INTO application VALUES ('active')`);
    const worker = await WorkerConnection.open(url, 'plaza-projector-test');
    await worker.client.query('BEGIN');
    await worker.client.query(`UPDATE application SET state = 'active'`);
    // The worker stays silent, as if frozen.
    await other.query(`UPDATE application SET state = 'suspended'`);
    await until(() => worker.lost.aborted);
    expect((await other.query('SELECT state FROM application')).rows).toEqual([{ state: 'suspended' }]);
    await worker.close();
    await other.end();
  });
});

describe('a worker whose connection is idle for long', () => {
  let postgres: TestPostgres;

  beforeAll(async () => {
    postgres = await startTestPostgres();
  });
  afterAll(() => postgres.stop());

  test('keeps its lock while its event loop runs', async () => {
    const url = await postgres.createDatabase();
    const { signal } = new AbortController();
    const worker = await WorkerConnection.open(url, 'plaza-projector-test');
    expect(await worker.lock('a lock', signal, () => undefined)).toBe(true);
    const other = new Client({ connectionString: url });
    await other.connect();
    const beats = async () => {
      const { rows } = await other.query<{ at: Date }>(
        `SELECT state_change AS at FROM pg_stat_activity WHERE application_name = 'plaza-projector-test'`,
      );
      return rows[0]?.at.getTime() ?? 0;
    };
    const begun = await beats();
    await until(async () => (await beats()) > begun + 1.5 * SESSION_TIMEOUT_SECONDS * 1_000);
    expect(worker.lost.aborted).toBe(false);
    await other.end();
    await worker.close();
  });
});

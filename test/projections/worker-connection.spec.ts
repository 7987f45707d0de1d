import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Client } from 'pg';
import { WorkerConnection } from '../../projections/runner/worker-connection.js';
import { startTestPostgres } from '../support/postgres.js';
import type { TestPostgres } from '../support/postgres.js';
import { until } from '../support/until.js';

describe('a worker that freezes within a transaction', () => {
  let postgres: TestPostgres;

  beforeAll(async () => {
    postgres = await startTestPostgres();
  });
  afterAll(() => postgres.stop());

  test('holds up for a moment only who takes authority away', async () => {
    const url = await postgres.createDatabase();
    const other = new Client({ connectionString: url, statement_timeout: 4_000 });
    await other.connect();
    await other.query(`CREATE TABLE application (state text); INSERT INTO application VALUES ('active')`);
    const worker = await WorkerConnection.open(url, 'plaza-projector-test');
    await worker.client.query('BEGIN');
    await worker.client.query(`UPDATE application SET state = 'active'`);
    // It says nothing more, as if it were frozen.
    await other.query(`UPDATE application SET state = 'suspended'`);
    await until(() => worker.lost.aborted);
    expect((await other.query('SELECT state FROM application')).rows).toEqual([{ state: 'suspended' }]);
    await worker.close();
    await other.end();
  });
});

import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { authorityGroup } from '../../projections/authority/authority.projection.js';
import { serving } from '../../projections/groups.js';
import { typesOf } from '../../projections/runner/projection.js';
import { LogUnavailable } from '../../src/log/event-log.js';
import { authorityTarget } from '../../src/recovery/restore/deriving.js';
import { openDatabase } from '../../src/store/database.js';
import { MemoryLog } from '../projections/support/memory-log.js';
import { some } from '../projections/support/recorded.js';
import { WorkerBench } from '../projections/support/worker.js';
import { startTestPostgres } from '../support/postgres.js';
import type { TestPostgres } from '../support/postgres.js';
import { until } from '../support/until.js';

let postgres: TestPostgres;
let bench: WorkerBench;

beforeAll(async () => {
  postgres = await startTestPostgres();
  const url = await postgres.createDatabase();
  await (await openDatabase({ url, applicationName: 'test', maxConnections: 1 })).close();
  bench = await WorkerBench.open(url);
}, 60_000);

afterAll(async () => {
  await bench?.close();
  await postgres?.stop();
});

/** Its end is not known until somebody says so. */
class SlowLog extends MemoryLog {
  isHeadKnown = false;

  override head(): Promise<bigint | undefined> {
    return this.isHeadKnown ? super.head() : Promise.reject(new LogUnavailable('not yet'));
  }
}

it('is believed after a restore of the log once that is compared with what is published, and not before', async () => {
  const before = new MemoryLog();
  before.add(some.founding('n'), some.account('ada'), some.post('p'));
  const worker = bench.start(before);
  await until(async () => (await bench.state())?.status === 'serving');
  await worker.stop();

  const restored = new SlowLog();
  restored.add(some.founding('n'), some.account('ada'));
  await bench.pool.query('INSERT INTO authority.deriving DEFAULT VALUES');
  const derivedFrom = { log: restored, types: typesOf(serving) };
  bench.run({
    group: authorityGroup,
    log: restored,
    prepare: (client, signal) => authorityTarget(authorityGroup, derivedFrom, client, signal),
  });
  const { pool } = bench;
  await until(async () => (await pool.query('SELECT FROM authority.account')).rowCount === 1);
  await until(() => bench.logged.some((line) => line.includes('not yet')));
  expect((await pool.query('SELECT FROM authority.deriving')).rowCount).toBe(1);

  restored.isHeadKnown = true;
  await until(async () => (await pool.query('SELECT FROM authority.deriving')).rowCount === 0);
  expect(await bench.state()).toMatchObject({
    status: 'quarantined',
    reason: expect.stringMatching(/^The log was set back/),
  });
});

import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { serving } from '../../projections/groups.js';
import { openLog } from '../../src/log/open-log.js';
import type { OpenLog } from '../../src/log/open-log.js';
import { recoveryStatus } from '../../src/recovery/plan/recovery-status.js';
import type { Witness } from '../../src/log/witness/witness.js';
import { WorkerBench } from '../projections/support/worker.js';
import { startEmbeddedEventStore } from '@plaza/event-store/testing';
import type { EmbeddedEventStore } from '@plaza/event-store/testing';
import { startTestPostgres } from '../support/postgres.js';
import type { TestPostgres } from '../support/postgres.js';
import { startTcpProxy } from '../support/tcp-proxy.js';
import type { TcpProxy } from '../support/tcp-proxy.js';
import { until } from '../support/until.js';
import { openReadyWitness } from '../support/witness.js';

let postgres: TestPostgres;
let store: EmbeddedEventStore;
let toStore: TcpProxy;
let opened: OpenLog;
let witness: Witness;
let bench: WorkerBench;

beforeAll(async () => {
  [postgres, store] = await Promise.all([startTestPostgres(), startEmbeddedEventStore()]);
  toStore = await startTcpProxy(store.port);
  const url = () => postgres.createDatabase();
  opened = await openLog({
    eventStoreUrl: `esdb://127.0.0.1:${toStore.port}?tls=false`,
    vaultDatabaseUrl: await url(),
    applicationName: 'test',
  });
  witness = await openReadyWitness(await url());
  bench = WorkerBench.open(await postgres.createReadStore());
});

afterAll(async () => {
  await bench?.close();
  await witness?.close();
  await opened?.close();
  await toStore?.close();
  await store?.stop();
  await postgres?.stop();
});

const timeoutFault = 'The event log did not send all its restrictions in time; try again once it answers.';

it('the recovery status reports a log that does not send all its restrictions in time', async () => {
  const sources = { pool: bench.pool, log: opened.log, witness, group: serving };
  expect(await recoveryStatus({ ...sources, timeoutMs: 0 })).toMatchObject({
    state: 'none',
    witness: null,
    witnessFault: timeoutFault,
  });
});

it('the recovery status reports a silent log within seconds', async () => {
  const sources = { pool: bench.pool, log: opened.log, witness, group: serving };
  toStore.loseAnswers();
  const { witnessFault } = await recoveryStatus({ ...sources, timeoutMs: 600_000 });
  expect(witnessFault).toMatch(/event log/i);
  expect(witnessFault).not.toBe(timeoutFault);
  toStore.reset();
  expect(await until(async () => (await recoveryStatus(sources)).witness)).toMatchObject({
    epochs: { log: 0 },
  });
});

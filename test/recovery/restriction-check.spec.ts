import { afterAll, afterEach, beforeAll, beforeEach, expect, it, jest } from '@jest/globals';
import { Pool } from 'pg';
import { LogUnavailable } from '../../src/log/event-log.js';
import type { Batch, EventReference, SubscribeOptions } from '../../src/log/event-log.js';
import { RestrictionCheck } from '../../projections/incarnations/detect/restriction-check.js';
import type { MemoryLog } from '../projections/support/memory-log.js';
import { some } from '../projections/support/recorded.js';
import { WorkerBench } from '../projections/support/worker.js';
import { startTestPostgres } from '../support/postgres.js';
import type { TestPostgres } from '../support/postgres.js';
import { until } from '../support/until.js';
import { LogAndWitness } from './support/log-and-witness.js';

let postgres: TestPostgres;
let database: Pool;
let ledgers: LogAndWitness;
let log: MemoryLog;
let time = 0;

beforeAll(async () => {
  postgres = await startTestPostgres();
  database = new Pool({ connectionString: await postgres.createDatabase() });
});
afterAll(async () => {
  await database?.end();
  await postgres?.stop();
});

beforeEach(async () => {
  ledgers = await LogAndWitness.open(postgres);
  ({ log } = ledgers);
  time = 0;
});
afterEach(() => ledgers.close());

const newCheck = () => new RestrictionCheck({ witness: ledgers.witness, log, monotonic: () => time });
const unpublished = () => ({ database, schema: undefined, signal: new AbortController().signal });

it('compares again all of a witness that lost what was compared before', async () => {
  await ledgers.restrictAndFinalize(some.deletion('p1'), 1);
  const bench = WorkerBench.open(await postgres.createReadStore());
  const worker = bench.start(log, undefined, ledgers.witness);
  const { schemaName } = await until(() => bench.state());
  await worker.stop();
  const asked = { ...unpublished(), database: bench.pool, schema: schemaName };
  const check = newCheck();
  expect(await check.run(asked)).toBeUndefined();
  expect(await check.run(asked)).toBeUndefined();
  await bench.pool.query(`UPDATE ${schemaName}.restriction SET event_id = gen_random_uuid()`);
  // Otherwise each check would cost more than the one before.
  expect(await check.run(asked)).toBeUndefined();
  expect(await newCheck().run(asked)).toContain('witness lacks');
  await bench.close();
});

it('gives the number of missing restrictions, and names some', async () => {
  for (let n = 1; n <= 7; n++) await ledgers.restrict(some.deletion(`q${n}`), n);
  log.rollBack(3);
  expect(await newCheck().run(unpublished())).toContain('lacks 7 restrictions (numbers 1, 2, 3, 4, 5, …)');
});

it('compares only new restrictions, and each for five minutes', async () => {
  const old = await ledgers.restrictAndFinalize(some.deletion('p1'), 1);
  const check = newCheck();
  expect(await check.run(unpublished())).toBeUndefined();
  log.removeEvent(old);
  expect(await check.run(unpublished())).toBeUndefined();
  const recent = await ledgers.restrictAndFinalize(some.deletion('p2'), 2);
  expect(await check.run(unpublished())).toBeUndefined();
  log.removeEvent(recent);
  time += 4 * 60_000;
  expect(await check.run(unpublished())).toContain('lacks restriction number 2,');
  expect(await newCheck().run(unpublished())).toContain('lacks 2 restrictions');
});

it('compares again a restriction that was prepared before the check and accepted later', async () => {
  const recorded = await ledgers.appendPrepared(some.deletion('p1'), 1);
  await ledgers.restrictAndFinalize(some.deletion('p2'), 2);
  const check = newCheck();
  expect(await check.run(unpublished())).toBeUndefined();
  await ledgers.accept(recorded);
  log.removeEvent(recorded.id);
  expect(await check.run(unpublished())).toContain('lacks restriction number 1,');
});

it('compares again a restriction that is accepted after more than five minutes', async () => {
  const check = newCheck();
  expect(await check.run(unpublished())).toBeUndefined();
  const recorded = await ledgers.appendPrepared(some.deletion('p1'), 1);
  await ledgers.restrictAndFinalize(some.deletion('p2'), 2);
  for (const minutes of [0, 6, 6]) {
    time += minutes * 60_000;
    expect(await check.run(unpublished())).toBeUndefined();
  }
  await ledgers.accept(recorded);
  log.removeEvent(recorded.id);
  expect(await check.run(unpublished())).toContain('lacks restriction number 1,');
});

/** Sends an empty batch after each of these times, and obeys the signal. */
function sendBatchesAfter(silences: readonly number[]): void {
  const references = log.references.bind(log);
  log.references = async function* (options: SubscribeOptions): AsyncGenerator<Batch<EventReference>> {
    for (const ms of silences) {
      jest.advanceTimersByTime(ms);
      if (options.signal.aborted) return;
      yield { events: [], caughtUp: false };
    }
    yield* references(options);
  };
}

it('reads as long as the log makes progress, and fails when it stops', async () => {
  await ledgers.restrictAndFinalize(some.deletion('p1'), 1);
  jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask', 'performance', 'Date'] });
  try {
    sendBatchesAfter([119_000, 119_000, 119_000]);
    expect(await newCheck().run(unpublished())).toBeUndefined();
    sendBatchesAfter([119_000, 120_000]);
    await expect(newCheck().run(unpublished())).rejects.toThrow(LogUnavailable);
  } finally {
    jest.useRealTimers();
  }
});

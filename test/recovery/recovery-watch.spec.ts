import { once } from 'node:events';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { pino } from 'pino';
import type { Batch, EventReference, SubscribeOptions } from '../../src/log/event-log.js';
import { quarantine } from '../../projections/incarnations/incarnation.js';
import { RecoveryWatch } from '../../projections/incarnations/detect/recovery-watch.js';
import { RESTRICTION_CHECK_INTERVAL_MS } from '../../projections/incarnations/detect/publication-check.js';
import { restrictionHash } from '../../src/log/witness/canonical.js';
import { openWitness } from '../../src/log/witness/open-witness.js';
import type { Witness } from '../../src/log/witness/witness.js';
import { MemoryLog } from '../projections/support/memory-log.js';
import { some } from '../projections/support/recorded.js';
import { WorkerBench } from '../projections/support/worker.js';
import { startTestPostgres } from '../support/postgres.js';
import type { TestPostgres } from '../support/postgres.js';
import { until } from '../support/until.js';
import { openReadyWitness } from '../support/witness.js';

let postgres: TestPostgres;
let bench: WorkerBench;
let witness: Witness;
let log: MemoryLog;
const watches: RecoveryWatch[] = [];
let time = 0;
let logged: string[] = [];

beforeAll(async () => {
  postgres = await startTestPostgres();
});
afterAll(() => postgres?.stop());

/** The log has one restriction, with epoch 1, which the witness accepted. */
beforeEach(async () => {
  bench = WorkerBench.open(await postgres.createReadStore());
  witness = await openReadyWitness(await postgres.createDatabase());
  logged = [];
  log = new MemoryLog();
  log.add(some.founding('n'), some.post('p'));
  const { id, stream, event, metadata, position } = log.addWitnessed(1, some.deletion('p'));
  const { witnessEpoch: _, ...asked } = metadata;
  const restriction = { id, stream, event, metadata: asked };
  await witness.prepare(restriction, 0);
  await witness.accept(id, { hash: restrictionHash(restriction), position }, 0);
});
afterEach(async () => {
  for (const watch of watches.splice(0)) await watch.stop();
  await witness.close();
  await bench.close();
});

async function startWatch(given = witness, hadWitness = true): Promise<RecoveryWatch> {
  const watch = new RecoveryWatch({
    pool: bench.pool,
    log,
    witness: given,
    hadWitness,
    logger: pino({}, { write: (line: string) => void logged.push(line) }),
    monotonic: () => time,
  });
  watches.push(watch);
  await watch.start();
  return watch;
}

/** Waits until the watch gives this reason; undefined: none. Its start waits only briefly for the first check. */
function waitForReason(
  watch: RecoveryWatch,
  epoch: bigint | undefined,
  reason: RegExp | undefined,
): Promise<boolean> {
  return until(() => {
    const said = watch.unavailableReason(epoch);
    return reason === undefined ? said === undefined : said !== undefined && reason.test(said);
  });
}

async function publish(): Promise<void> {
  const worker = bench.start(log, undefined, witness);
  await until(() => bench.state());
  await worker.stop();
}

const logLacksOne = /^The log lacks restriction number 1, accepted by the witness/;
const witnessNotConfigured = /WITNESS_DATABASE_URL/;

it('allows requests before and after the first publication if the log is complete', async () => {
  const watch = await startWatch();
  expect(await waitForReason(watch, undefined, undefined)).toBe(true);
  await publish();
  expect(watch.unavailableReason(1n)).toBeUndefined();
  // If the publication is lost again, the log may be another one.
  await until(() => watch.unavailableReason(undefined));
});

it('refuses requests before the first publication if the log lacks a restriction', async () => {
  log.rollBack(2);
  expect(await waitForReason(await startWatch(), undefined, logLacksOne)).toBe(true);
});

/** Calls `afterReading` each time its restrictions were read. */
class BusyLog extends MemoryLog {
  constructor(private readonly afterReading: () => Promise<void>) {
    super();
  }

  override subscribe(options: SubscribeOptions): AsyncGenerator<Batch> {
    return this.busily(super.subscribe(options));
  }

  override references(options: SubscribeOptions): AsyncGenerator<Batch<EventReference>> {
    return this.busily(super.references(options));
  }

  private async *busily<Event>(batches: AsyncIterable<Batch<Event>>): AsyncGenerator<Batch<Event>> {
    for await (const batch of batches) {
      if (batch.caughtUp) await this.afterReading();
      yield batch;
    }
  }
}

it('does not count a restriction as missing that is made during the check', async () => {
  let epoch = 0;
  const restrictOne = async () => {
    epoch += 1;
    const recorded = log.addWitnessed(epoch, some.deletion(`p${epoch}`));
    const { id, stream, event, metadata, position } = recorded;
    const { witnessEpoch: _, ...by } = metadata;
    const restriction = { id, stream, event, metadata: by };
    await witness.prepare(restriction, 0);
    await witness.accept(id, { hash: restrictionHash(restriction), position }, 0);
  };
  await witness.close();
  witness = await openReadyWitness(await postgres.createDatabase());
  log = new BusyLog(restrictOne);
  log.add(some.founding('n'));
  const watch = await startWatch();
  expect(await waitForReason(watch, undefined, undefined)).toBe(true);
  expect(epoch).toBe(1);
  expect(logged.filter((line) => line.includes('refused'))).toEqual([]);
});

it('logs no warning when it is stopped while reading the log', async () => {
  const reading = Promise.withResolvers<void>();
  log.references = async function* ({ signal }) {
    reading.resolve();
    await once(signal, 'abort');
    yield* [];
  };
  const starting = startWatch();
  await reading.promise;
  await watches.at(-1)?.stop();
  await starting;
  expect(logged).toEqual([]);
});

it('serves complete read models while the log is unavailable, and compares the log as soon as it is back', async () => {
  await publish();
  log.setDown(true);
  const watch = await startWatch();
  expect(await waitForReason(watch, 1n, undefined)).toBe(true);
  expect(watch.isLogCompared).toBe(false);
  log.rollBack(2);
  log.setDown(false);
  await until(async () => (await bench.state())?.status === 'quarantined');
  expect((await bench.state())?.reason).toMatch(/^The log was rolled back/);
  expect(watch.isLogCompared).toBe(true);
});

it('counts an outstanding restriction as shown while the log is unavailable', async () => {
  await publish();
  const { schemaName } = (await bench.state())!;
  await bench.pool.query(`WITH unapplied AS (DELETE FROM ${schemaName}.restriction RETURNING *)
    INSERT INTO recovery.outstanding_restriction
    SELECT event_id, witness_epoch, position, 'post:p' FROM unapplied`);
  log.setDown(true);
  expect(await waitForReason(await startWatch(), 1n, undefined)).toBe(true);
});

it('refuses requests if the log lacks the checkpoint of any group', async () => {
  const lose = () =>
    bench.pool.query(
      `INSERT INTO recovery.checkpoint (group_name, versions, applied_position, applied_event_id)
      VALUES ('authority', '{}', 100000, gen_random_uuid())`,
    );
  await lose();
  const setBack = /^The log was rolled back: .*, while projection group authority has applied/;
  expect(await waitForReason(await startWatch(), undefined, setBack)).toBe(true);
  await bench.pool.query('DELETE FROM recovery.checkpoint');
  await publish();
  await lose();
  await startWatch();
  await until(async () => (await bench.state())?.status === 'quarantined');
  expect((await bench.state())?.reason).toMatch(setBack);
});

it('refuses requests if the witness lacks a restriction of the log', async () => {
  const other = await openReadyWitness(await postgres.createDatabase());
  try {
    expect(
      await waitForReason(await startWatch(other), undefined, /The witness lacks restriction number 1/),
    ).toBe(true);
  } finally {
    for (const watch of watches.splice(0)) await watch.stop();
    await other.close();
  }
});

it('takes a quarantine as no proof while the witness was never reached', async () => {
  await publish();
  await quarantine(bench.pool, (await bench.state())?.incarnation ?? '', 'a test');
  const none = openWitness({ url: undefined, applicationName: 'test' });
  expect(await waitForReason(await startWatch(none), 1n, witnessNotConfigured)).toBe(true);
  expect(await waitForReason(await startWatch(), 1n, undefined)).toBe(true);
});

it('refuses requests again once the log lacks something, even in a process that had its proof', async () => {
  const watch = await startWatch();
  expect(await waitForReason(watch, undefined, undefined)).toBe(true);
  log.rollBack(2);
  time += RESTRICTION_CHECK_INTERVAL_MS;
  expect(await waitForReason(watch, undefined, logLacksOne)).toBe(true);
});

it('takes complete read models as no proof of the log, in case they are lost', async () => {
  await publish();
  const watch = await startWatch();
  expect(await waitForReason(watch, 1n, undefined)).toBe(true);
  expect(watch.unavailableReason(undefined)).toEqual(expect.any(String));
});

it('allows requests without a witness only for read models without restrictions on a network that never had a witness', async () => {
  const none = openWitness({ url: undefined, applicationName: 'test' });
  const notConfigured = expect.stringMatching(witnessNotConfigured);
  const asked = async (hadWitness: boolean) => {
    const watch = await startWatch(none, hadWitness);
    expect(await waitForReason(watch, 1n, witnessNotConfigured)).toBe(true);
    return [0n, 1n, undefined].map((epoch) => watch.unavailableReason(epoch));
  };
  expect(await asked(false)).toEqual([undefined, notConfigured, notConfigured]);
  expect(await asked(true)).toEqual([notConfigured, notConfigured, notConfigured]);
});

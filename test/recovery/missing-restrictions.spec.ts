/** @waits */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Batch, Checkpoint, EventReference, SubscribeOptions } from '../../src/log/event-log.js';
import { RESTRICTION_CHECK_INTERVAL_MS } from '../../projections/incarnations/detect/publication-check.js';
import { openWitness } from '../../src/log/witness/open-witness.js';
import type { Witness } from '../../src/log/witness/witness.js';
import { MemoryLog } from '../projections/support/memory-log.js';
import { some } from '../projections/support/recorded.js';
import { nextRelease, WorkerBench } from '../projections/support/worker.js';
import { startTestPostgres } from '../support/postgres.js';
import type { TestPostgres } from '../support/postgres.js';
import { startTcpProxy } from '../support/tcp-proxy.js';
import { until } from '../support/until.js';
import { LogAndWitness } from './support/log-and-witness.js';

/** A node that shows no restriction until the first read of a post stream. */
class LaggingLog extends MemoryLog {
  reads = 0;

  constructor(private readonly leader: MemoryLog) {
    super();
  }

  private get isBehind(): boolean {
    return this.reads === 0;
  }

  override read = (stream: string) => {
    if (!stream.startsWith('post-')) return this.leader.read(stream);
    return this.reads++ === 0 ? Promise.resolve([]) : this.leader.read(stream);
  };
  override find = (stream: string, id: string) =>
    this.reads++ === 0 ? Promise.resolve(undefined) : this.leader.find(stream, id);
  override head = () => this.leader.head();
  override verify = (checkpoint: Checkpoint) => this.leader.verify(checkpoint);
  override subscribe = (options: SubscribeOptions) => this.leader.subscribe(options);
  override async *references(options: SubscribeOptions): AsyncGenerator<Batch<EventReference>> {
    for await (const { events, caughtUp } of this.leader.references(options))
      yield { events: this.isBehind ? [] : events, caughtUp };
  }
}

let postgres: TestPostgres;
let bench: WorkerBench;
let ledgers: LogAndWitness;
let log: MemoryLog;
let witness: Witness;

beforeAll(async () => {
  postgres = await startTestPostgres();
});
afterAll(() => postgres?.stop());

beforeEach(async () => {
  bench = WorkerBench.open(await postgres.createReadStore());
  ledgers = await LogAndWitness.open(postgres);
  ({ log, witness } = ledgers);
});
afterEach(async () => {
  await bench.close();
  await ledgers.close();
});

/** Waits for the first publication state, or for the requested one. */
const state = (status?: 'quarantined') =>
  until(async () => {
    const found = await bench.state();
    return (status === undefined || found?.status === status) && found;
  });

async function publish(): Promise<void> {
  const worker = bench.start(log, undefined, witness);
  await state();
  await worker.stop();
}

describe('a worker', () => {
  it('publishes read models that show every accepted restriction, and counts them', async () => {
    await ledgers.restrict(some.deletion('p1'), 1);
    await ledgers.restrict(some.block('ada', 'bob'), 2);
    bench.start(log, undefined, witness);
    expect(await state()).toMatchObject({ status: 'serving', witnessEpoch: 2n });
  });

  it('does not count a prepared restriction as missing', async () => {
    await ledgers.appendPrepared(some.deletion('p1'), 1);
    log.rollBack(3);
    bench.start(log, undefined, witness);
    expect(await state()).toMatchObject({ status: 'serving' });
  });

  it('serves read models that are behind the log, without a quarantine', async () => {
    await publish();
    await ledgers.restrict(some.deletion('p1'), 1);
    log.add(some.post('p3'));
    bench.start(log, undefined, witness);
    await until(async () => (await bench.posts()).ids.includes('p3'));
    expect(await state()).toMatchObject({ status: 'serving', witnessEpoch: 1n });
  });

  it('quarantines when the log lost a restriction that the read models never saw', async () => {
    await publish();
    await ledgers.restrict(some.deletion('p1'), 1);
    log.rollBack(3);
    await bench.start(log, undefined, witness).ended;
    expect((await state('quarantined')).reason).toBe(
      'The log lacks restriction number 1, accepted by the witness: removed content or revoked access could return.',
    );
  });

  it('publishes its first incarnation in quarantine when the log lost a restriction', async () => {
    await ledgers.restrict(some.deletion('p1'), 1);
    await ledgers.restrict(some.deletion('p2'), 2);
    log.rollBack(3);
    await bench.start(log, undefined, witness).ended;
    expect(await state()).toMatchObject({
      status: 'quarantined',
      reason: expect.stringContaining('lacks 2 restrictions (numbers 1, 2)'),
    });
  });

  it('quarantines the published incarnation when the one being built lacks a restriction', async () => {
    await publish();
    const before = await state();
    await ledgers.restrict(some.deletion('p1'), 1);
    log.rollBack(3);
    await bench.start(log, nextRelease, witness).ended;
    expect(await state('quarantined')).toMatchObject({ incarnation: before.incarnation });
  });

  it('quarantines when the log lost a restriction that the read models show, although it has their checkpoint', async () => {
    const lost = await ledgers.restrictAndFinalize(some.deletion('p1'), 1);
    log.add(some.post('p3'));
    await publish();
    log.removeEvent(lost);
    await bench.start(log, undefined, witness).ended;
    expect((await state('quarantined')).reason).toBe(
      'The log lacks restriction number 1, accepted by the witness: removed content or revoked access could return.',
    );
  });

  it('quarantines when the log lacks the checkpoint of another group, before and after the first publication', async () => {
    const lost = (name: string) =>
      bench.pool.query(
        `INSERT INTO recovery.checkpoint (group_name, versions, applied_position, applied_event_id)
        VALUES ($1, '{}', 100000, gen_random_uuid())`,
        [name],
      );
    const reason = expect.stringMatching(
      /^The log was rolled back: it ends at position \d+, while projection group audit has applied events up to position 100000, /,
    );
    await publish();
    await lost('audit');
    await bench.start(log, undefined, witness).ended;
    expect(await state('quarantined')).toMatchObject({ reason });
    await bench.pool.query('DELETE FROM recovery.publication; DELETE FROM recovery.incarnation');
    await bench.start(log, undefined, witness).ended;
    expect(await state('quarantined')).toMatchObject({ reason });
  });

  it('does not count a restriction as missing that a lagging node shows late', async () => {
    await publish();
    const lagging = new LaggingLog(log);
    await ledgers.restrict(some.deletion('p1'), 1);
    bench.start(lagging, undefined, witness);
    await until(() => lagging.reads > 1);
    await until(async () => (await bench.state())?.witnessEpoch === 1n);
    expect(await state()).toMatchObject({ status: 'serving' });
  });

  it('checks each minute by a monotonic clock', async () => {
    await publish();
    const worker = bench.start(log, undefined, witness);
    log.add(some.post('p3'));
    await until(async () => (await bench.posts()).ids.includes('p3'));
    const elsewhere = new MemoryLog();
    elsewhere.add(some.founding('n'));
    await ledgers.restrict(some.deletion('p1'), 1, elsewhere);
    bench.monotonic = () => RESTRICTION_CHECK_INTERVAL_MS;
    await worker.ended;
    expect((await state('quarantined')).reason).toContain('The log lacks restriction number 1');
  });

  it('quarantines when the witness lost what the log has', async () => {
    await ledgers.restrict(some.deletion('p1'), 1);
    await publish();
    const emptied = await ledgers.openEmpty(postgres);
    await bench.start(log, undefined, emptied).ended;
    expect((await state('quarantined')).reason).toContain('The witness lacks restriction number 1');
  });

  it('quarantines when the witness was rolled back and reused its numbers', async () => {
    await ledgers.restrict(some.deletion('p1'), 1);
    await publish();
    ledgers.witness = await ledgers.openEmpty(postgres);
    await ledgers.restrict(some.deletion('p2'), 1);
    await bench.start(log, undefined, ledgers.witness).ended;
    expect((await state('quarantined')).reason).toContain('rolled back or is another one');
  });

  it('serves while the witness is unavailable, but publishes nothing until it is back', async () => {
    await publish();
    await ledgers.restrict(some.deletion('p1'), 1);
    const proxy = await startTcpProxy(Number(new URL(ledgers.witnessUrl).port));
    try {
      proxy.loseAnswers();
      const url = new URL(ledgers.witnessUrl);
      url.port = String(proxy.port);
      const away = ledgers.closeLater(openWitness({ url: url.href, applicationName: 'test' }));
      const { incarnation } = await state();
      const old = bench.start(log, undefined, away);
      await until(async () => (await bench.state())?.witnessEpoch === 1n);
      await old.stop();
      bench.start(log, nextRelease, away);
      await until(() => bench.logged.some((line) => line.includes('building an incarnation')));
      await until(
        () =>
          bench.logged.filter((line) => line.includes('cannot check for missing restrictions')).length > 1,
      );
      expect((await state()).incarnation).toBe(incarnation);
      proxy.reset();
      await until(async () => (await bench.state())?.incarnation !== incarnation);
    } finally {
      await proxy.close();
    }
  });
});

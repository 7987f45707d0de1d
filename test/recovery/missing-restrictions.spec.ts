import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Batch, Checkpoint, EventReference, SubscribeOptions } from '../../src/log/event-log.js';
import type { Recorded } from '../../src/log/recorded.js';
import type { RestrictionEvent } from '../../src/log/restrictions.js';
import { RestrictionCheck } from '../../src/recovery/restriction-check.js';
import { CHECK_EVERY_MS } from '../../src/recovery/session-proof.js';
import { restrictionHash } from '../../src/recovery/witness/canonical.js';
import { openWitness } from '../../src/recovery/witness/open-witness.js';
import type { Restriction, Witness } from '../../src/recovery/witness/witness.js';
import { MemoryLog } from '../projections/support/memory-log.js';
import { some } from '../projections/support/recorded.js';
import { raised, WorkerBench } from '../projections/support/worker.js';
import { startTestPostgres } from '../support/postgres.js';
import type { TestPostgres } from '../support/postgres.js';
import { startTcpProxy } from '../support/tcp-proxy.js';
import { until } from '../support/until.js';
import { openReadyWitness } from '../support/witness.js';

/** A node that does not show restrictions until it was asked for one by its stream. */
class LaggingLog extends MemoryLog {
  looks = 0;

  constructor(private readonly leader: MemoryLog) {
    super();
  }

  private get isBehind(): boolean {
    return this.looks === 0;
  }

  override read = (stream: string) => {
    if (!stream.startsWith('post-')) return this.leader.read(stream);
    return this.looks++ === 0 ? Promise.resolve([]) : this.leader.read(stream);
  };
  override find = (stream: string, id: string) =>
    this.looks++ === 0 ? Promise.resolve(undefined) : this.leader.find(stream, id);
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
let witnessUrl: string;
let witness: Witness;
let log: MemoryLog;
let time = 0;
const opened: Witness[] = [];

beforeAll(async () => {
  postgres = await startTestPostgres();
});
afterAll(() => postgres?.stop());

beforeEach(async () => {
  bench = await WorkerBench.open(await postgres.createDatabase());
  witnessUrl = await postgres.createDatabase();
  witness = await open(witnessUrl);
  time = 0;
  log = new MemoryLog();
  log.add(some.founding('n'), some.post('p1'), some.post('p2'));
});
afterEach(async () => {
  await bench.close();
  for (const each of opened.splice(0)) await each.close();
});

async function open(url: string): Promise<Witness> {
  const made = await openReadyWitness(url);
  opened.push(made);
  return made;
}

const restrictionOf = ({ id, stream, event, metadata }: Recorded<RestrictionEvent>): Restriction => {
  const { witnessEpoch: _, ...asked } = metadata;
  return { id, stream, event, metadata: asked };
};

/** Restricts as a process does: with a number of the witness, in the log, accepted. */
async function restrict(event: RestrictionEvent, epoch: number, into = log): Promise<void> {
  const recorded = into.addWitnessed(epoch, event);
  const restriction = restrictionOf(recorded);
  expect((await witness.prepare(restriction, 0)).epoch).toBe(BigInt(epoch));
  await witness.accept(recorded.id, { hash: restrictionHash(restriction), position: recorded.position }, 0);
}

/** The same, acknowledged. Answers the event's id. */
async function finalized(event: RestrictionEvent, epoch: number): Promise<string> {
  await restrict(event, epoch);
  const [last] = await witness.after(BigInt(epoch - 1), 1);
  await witness.finalize(last?.restriction.id ?? '', 0);
  return last?.restriction.id ?? '';
}

const newCheck = () => new RestrictionCheck({ witness, log, monotonic: () => time });
const asked = (schema: string | undefined) => ({
  database: bench.pool,
  schema,
  signal: new AbortController().signal,
});

/** Starts a worker and answers the state once there is one, or the one that is waited for. */
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
  it('publishes what has all that the witness accepted, and counts it', async () => {
    await restrict(some.deletion('p1'), 1);
    await restrict(some.block('ada', 'bob'), 2);
    bench.start(log, undefined, witness);
    expect(await state()).toMatchObject({ status: 'serving', witnessEpoch: 2n });
  });

  it('takes what is only prepared for nothing that could be missing', async () => {
    await witness.prepare(restrictionOf(log.addWitnessed(1, some.deletion('p1'))), 0);
    log.setBack(3);
    bench.start(log, undefined, witness);
    expect(await state()).toMatchObject({ status: 'serving' });
  });

  it('serves on behind a log that is ahead: being behind is no quarantine', async () => {
    await publish();
    await restrict(some.deletion('p1'), 1);
    log.add(some.post('p3'));
    bench.start(log, undefined, witness);
    await until(async () => (await bench.posts()).ids.includes('p3'));
    expect(await state()).toMatchObject({ status: 'serving', witnessEpoch: 1n });
  });

  it('refuses a log that lost a restriction which the read models never saw', async () => {
    await publish();
    await restrict(some.deletion('p1'), 1);
    log.setBack(3);
    await bench.start(log, undefined, witness).ended;
    expect((await state('quarantined')).reason).toBe(
      'The log lacks restriction number 1, accepted by the witness: what was taken away would be there again.',
    );
  });

  it('lets nobody see the first incarnation that is built of such a log', async () => {
    await restrict(some.deletion('p1'), 1);
    await restrict(some.deletion('p2'), 2);
    log.setBack(3);
    await bench.start(log, undefined, witness).ended;
    expect(await state()).toMatchObject({
      status: 'quarantined',
      reason: expect.stringContaining('lacks 2 restrictions (numbers 1, 2)'),
    });
  });

  it('refuses what is published if what is built beside it lacks something', async () => {
    await publish();
    const before = await state();
    await restrict(some.deletion('p1'), 1);
    log.setBack(3);
    await bench.start(log, raised, witness).ended;
    expect(await state('quarantined')).toMatchObject({ incarnation: before.incarnation });
  });

  it('refuses a log that lost a restriction which the read models show, and has their checkpoint', async () => {
    const lost = await finalized(some.deletion('p1'), 1);
    log.add(some.post('p3'));
    await publish();
    log.lose(lost);
    await bench.start(log, undefined, witness).ended;
    expect((await state('quarantined')).reason).toBe(
      'The log lacks restriction number 1, accepted by the witness: what was taken away would be there again.',
    );
  });

  it('refuses a log that lacks the checkpoint of another group, published or not', async () => {
    const lost = (name: string) =>
      bench.pool.query(
        `INSERT INTO recovery.checkpoint (group_name, versions, applied_position, applied_event_id)
        VALUES ($1, '{}', 100000, gen_random_uuid())`,
        [name],
      );
    const reason = expect.stringMatching(
      /^The log was set back: it ends at position \d+, while projection group audit shows it up to position 100000, /,
    );
    await publish();
    await lost('audit');
    await bench.start(log, undefined, witness).ended;
    expect(await state('quarantined')).toMatchObject({ reason });
    await bench.pool.query('DELETE FROM recovery.publication; DELETE FROM recovery.incarnation');
    await bench.start(log, undefined, witness).ended;
    expect(await state('quarantined')).toMatchObject({ reason });
  });

  it('takes a restriction that a lagging node does not show at first for none that is missing', async () => {
    await publish();
    const lagging = new LaggingLog(log);
    await restrict(some.deletion('p1'), 1);
    bench.start(lagging, undefined, witness);
    await until(() => lagging.looks > 1);
    await until(async () => (await bench.state())?.witnessEpoch === 1n);
    expect(await state()).toMatchObject({ status: 'serving' });
  });

  it('looks each minute by a clock that does not jump', async () => {
    await publish();
    const worker = bench.start(log, undefined, witness);
    log.add(some.post('p3'));
    await until(async () => (await bench.posts()).ids.includes('p3'));
    const elsewhere = new MemoryLog();
    elsewhere.add(some.founding('n'));
    await restrict(some.deletion('p1'), 1, elsewhere);
    bench.monotonic = () => CHECK_EVERY_MS;
    await worker.ended;
    expect((await state('quarantined')).reason).toContain('The log lacks restriction number 1');
  });

  it('refuses a witness that has forgotten what the log has', async () => {
    await restrict(some.deletion('p1'), 1);
    await publish();
    const emptied = await open(await postgres.createDatabase());
    await bench.start(log, undefined, emptied).ended;
    expect((await state('quarantined')).reason).toContain('The witness lacks restriction number 1');
  });

  it('refuses a witness that was set back and gave its numbers to others since', async () => {
    await restrict(some.deletion('p1'), 1);
    await publish();
    witness = await open(await postgres.createDatabase());
    await restrict(some.deletion('p2'), 1);
    await bench.start(log, undefined, witness).ended;
    expect((await state('quarantined')).reason).toContain('set back or is another one');
  });

  it('goes on while the witness is away, but publishes nothing before it is back', async () => {
    await publish();
    await restrict(some.deletion('p1'), 1);
    const proxy = await startTcpProxy(Number(new URL(witnessUrl).port));
    try {
      proxy.loseAnswers();
      const url = new URL(witnessUrl);
      url.port = String(proxy.port);
      const away = openWitness({ url: url.href, applicationName: 'test' });
      opened.push(away);
      const { incarnation } = await state();
      const old = bench.start(log, undefined, away);
      await until(async () => (await bench.state())?.witnessEpoch === 1n);
      await old.stop();
      bench.start(log, raised, away);
      await until(() => bench.logged.some((line) => line.includes('building an incarnation')));
      await until(() => bench.logged.filter((line) => line.includes('cannot be proven')).length > 1);
      expect((await state()).incarnation).toBe(incarnation);
      proxy.mend();
      await until(async () => (await bench.state())?.incarnation !== incarnation);
    } finally {
      await proxy.close();
    }
  });
});

describe('the check', () => {
  it('looks again at all of a witness that has lost what was proven', async () => {
    await finalized(some.deletion('p1'), 1);
    await publish();
    const { schemaName } = await state();
    const check = newCheck();
    expect(await check.run(asked(schemaName))).toBeUndefined();
    expect(await check.run(asked(schemaName))).toBeUndefined();
    await bench.pool.query(`UPDATE ${schemaName}.restriction SET event_id = gen_random_uuid()`);
    // What was proven is not looked at again, or each minute would cost more than the last.
    expect(await check.run(asked(schemaName))).toBeUndefined();
    expect(await newCheck().run(asked(schemaName))).toContain('witness lacks');
  });

  it('says how many are missing, and names some', async () => {
    for (let n = 1; n <= 7; n++) await restrict(some.deletion(`q${n}`), n);
    log.setBack(3);
    expect(await newCheck().run(asked(undefined))).toContain(
      'lacks 7 restrictions (numbers 1, 2, 3, 4, 5, …)',
    );
  });

  it('looks at what is new only, and at that for five minutes', async () => {
    const old = await finalized(some.deletion('p1'), 1);
    const check = newCheck();
    expect(await check.run(asked(undefined))).toBeUndefined();
    log.lose(old);
    expect(await check.run(asked(undefined))).toBeUndefined();
    const recent = await finalized(some.deletion('p2'), 2);
    expect(await check.run(asked(undefined))).toBeUndefined();
    log.lose(recent);
    time += 4 * 60_000;
    expect(await check.run(asked(undefined))).toContain('lacks restriction number 2,');
    expect(await newCheck().run(asked(undefined))).toContain('lacks 2 restrictions');
  });

  it('looks again at what was prepared before it began and is accepted later', async () => {
    const recorded = log.addWitnessed(1, some.deletion('p1'));
    const restriction = restrictionOf(recorded);
    await witness.prepare(restriction, 0);
    await finalized(some.deletion('p2'), 2);
    const check = newCheck();
    expect(await check.run(asked(undefined))).toBeUndefined();
    const { id, position } = recorded;
    await witness.accept(id, { hash: restrictionHash(restriction), position }, 0);
    log.lose(id);
    expect(await check.run(asked(undefined))).toContain('lacks restriction number 1,');
  });

  it('looks again at what was on its way for longer than five minutes, and is accepted then', async () => {
    const check = newCheck();
    expect(await check.run(asked(undefined))).toBeUndefined();
    const recorded = log.addWitnessed(1, some.deletion('p1'));
    const restriction = restrictionOf(recorded);
    await witness.prepare(restriction, 0);
    await finalized(some.deletion('p2'), 2);
    for (const minutes of [0, 6, 6]) {
      time += minutes * 60_000;
      expect(await check.run(asked(undefined))).toBeUndefined();
    }
    const { id, position } = recorded;
    await witness.accept(id, { hash: restrictionHash(restriction), position }, 0);
    log.lose(id);
    expect(await check.run(asked(undefined))).toContain('lacks restriction number 1,');
  });
});

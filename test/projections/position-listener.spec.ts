import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { setTimeout as pause } from 'node:timers/promises';
import { pino } from 'pino';
import { CheckpointStore } from '../../projections/runner/checkpoint-store.js';
import { PositionListener } from '../../src/base/store/position-listener.js';
import type { PublishedState } from '../../src/base/store/position-listener.js';
import { POSITION_CHANNEL } from '../../src/base/store/notification-listener.js';
import { PUBLICATION_CHANNEL, quarantine } from '../../projections/incarnations/incarnation.js';
import { readPublicationState } from '../../projections/incarnations/recovery-state.js';
import type { PublicationState } from '../../projections/incarnations/recovery-state.js';
import { startOwnPostgres } from '../support/postgres.js';
import type { OwnPostgres } from '../support/postgres.js';
import { until } from '../support/until.js';
import { MemoryLog } from './support/memory-log.js';
import { some } from './support/recorded.js';
import { nextRelease, WorkerBench } from './support/worker.js';

/** The interval at which a listener without notifications reads by itself. */
const SOON = 10_000;
/** For the first build of a worker. */
const LONGEST_MS = 60_000;

describe('a position listener', () => {
  let postgres: OwnPostgres;
  let bench: WorkerBench;
  let log: MemoryLog;
  let listener: PositionListener;

  beforeAll(async () => {
    postgres = await startOwnPostgres();
  });
  afterAll(() => postgres.stop());
  beforeEach(async () => {
    bench = WorkerBench.open(await postgres.createReadStore());
    log = new MemoryLog();
    listener = new PositionListener({
      databaseUrl: bench.databaseUrl,
      publicationChannel: PUBLICATION_CHANNEL,
      read: readPublicationState,
      readGroup: (name) => CheckpointStore.ofGroup(name).position(bench.pool),
      logger: pino({ level: 'silent' }),
    });
    listener.start();
  });
  afterEach(async () => {
    await listener.stop();
    await bench.close();
  });

  test('has no state until the first publication, then the incarnation and its position', async () => {
    expect(listener.current()).toBeUndefined();
    const [, post] = log.add(some.founding('n'), some.post('p1'));
    bench.start(log);
    expect(await listener.waitFor(post?.position ?? 0n, LONGEST_MS)).toBe(true);
    const state = await bench.state();
    expect(listener.current()).toMatchObject({
      incarnation: state?.incarnation,
      appliedPosition: post?.position,
    });
  });

  test('answers at once for a reached position, and waits for a later one', async () => {
    const [, first] = log.add(some.founding('n'), some.post('p1'));
    bench.start(log);
    await listener.waitFor(first?.position ?? 0n, LONGEST_MS);
    const later = (first?.position ?? 0n) + 1n;
    expect(await listener.waitFor(first?.position ?? 0n, 0)).toBe(true);
    expect(await listener.waitFor(later, 50)).toBe(false);
    const waiting = listener.waitFor(later, LONGEST_MS);
    log.add(some.post('p2'));
    expect(await waiting).toBe(true);
  });

  test('notices a new status and a new incarnation', async () => {
    const [, post] = log.add(some.founding('n'), some.post('p1'));
    bench.start(log);
    await listener.waitFor(post?.position ?? 0n, LONGEST_MS);
    bench.start(log, nextRelease);
    const { incarnation } = await until(async () => {
      const state = await bench.state();
      return state?.versions['profile'] === nextRelease.projections[0]?.version && state;
    });
    await until(() => listener.current()?.incarnation === incarnation);
    const client = await bench.pool.connect();
    await quarantine(client, incarnation, 'for the test');
    client.release();
    await until(() => (listener.current() as PublicationState).status === 'quarantined');
    expect(listener.current()).toMatchObject({ incarnation, appliedPosition: post?.position });
  });

  test('calls each subscriber at each change until it unsubscribes', async () => {
    let [calls, others] = [0, 0];
    const unsubscribe = listener.subscribe(() => calls++);
    listener.subscribe(() => others++);
    const [, post] = log.add(some.founding('n'), some.post('p1'));
    bench.start(log);
    await listener.waitFor(post?.position ?? 0n, LONGEST_MS);
    await until(() => calls > 0);
    unsubscribe();
    const [before, othersBefore] = [calls, others];
    const [next] = log.add(some.post('p2'));
    await listener.waitFor(next?.position ?? 0n, LONGEST_MS);
    await until(() => others > othersBefore);
    expect(calls).toBe(before);
  });

  test('catches up after an outage of Postgres', async () => {
    log.add(some.founding('n'), some.post('p1'));
    bench.start(log);
    await until(() => listener.current()?.appliedPosition);
    await postgres.kill();
    const [missed] = log.add(some.post('p2'));
    const waiting = listener.waitFor(missed?.position ?? 0n, LONGEST_MS);
    await postgres.start();
    expect(await waiting).toBe(true);
  });

  test('waits for a group with tables of its own, whose position it reads once', async () => {
    const name = 'measured';
    const move = (to: number) =>
      bench.pool.query(
        `INSERT INTO recovery.checkpoint (group_name, versions, applied_position, applied_event_id)
        VALUES ($1, '{}', $2, gen_random_uuid())`,
        [name, to],
      );
    const announce = (group: string, position: number) =>
      bench.pool.query('SELECT pg_notify($1, $2)', [
        POSITION_CHANNEL,
        JSON.stringify({ group, position: String(position) }),
      ]);
    bench.start(log);
    log.add(some.founding('n'));
    await until(() => listener.current());
    expect(await listener.waitForGroup(name, 1n, 50)).toBe(false);
    await move(7);
    expect(await listener.waitForGroup(name, 7n, LONGEST_MS)).toBe(true);
    const waiting = listener.waitForGroup(name, 9n, LONGEST_MS);
    await announce('another', 9);
    await announce(name, 8);
    expect(await Promise.race([waiting, listener.waitForGroup(name, 9n, 50)])).toBe(false);
    await announce(name, 9);
    expect(await waiting).toBe(true);
  });

  test('does not wait for a group while the read store is away', async () => {
    await postgres.kill();
    expect(await listener.waitForGroup('measured', 1n, LONGEST_MS)).toBe(false);
    await postgres.start();
  });

  test('answers false to all callers when it stops', async () => {
    const waiting = listener.waitFor(1n, LONGEST_MS);
    await listener.stop();
    expect(await waiting).toBe(false);
    expect(await listener.waitFor(1n, LONGEST_MS)).toBe(false);
  });

  describe('with scripted publication states', () => {
    let published: PublishedState;
    let reads: number;
    let open: Promise<void>;
    let atOnce: number;
    let mostAtOnce: number;
    let scripted: PositionListener;

    const stateOf = (incarnation: string, appliedPosition: bigint) => ({ incarnation, appliedPosition });
    const announce = (incarnation: string, position: number) =>
      notify(POSITION_CHANNEL, JSON.stringify({ incarnation, position: String(position) }));
    const notify = (channel: string, payload: string) =>
      bench.pool.query('SELECT pg_notify($1, $2)', [channel, payload]);
    const startListener = () => {
      scripted = new PositionListener({
        databaseUrl: bench.databaseUrl,
        publicationChannel: PUBLICATION_CHANNEL,
        async read(client) {
          reads++;
          mostAtOnce = Math.max(mostAtOnce, ++atOnce);
          // A real query, so that notifications arrive during the read.
          await client.query('SELECT 1');
          const row = published;
          await open;
          atOnce--;
          return row;
        },
        readGroup: () => Promise.resolve(undefined),
        logger: pino({ level: 'silent' }),
      });
      scripted.start();
    };

    beforeEach(async () => {
      [published, reads, open, atOnce, mostAtOnce] = [stateOf('a', 100n), 0, Promise.resolve(), 0, 0];
      startListener();
      await until(() => scripted.current());
    });
    afterEach(() => scripted.stop());

    test('ignores positions of an incarnation that is no longer published', async () => {
      const { promise, resolve } = Promise.withResolvers<void>();
      open = promise;
      published = stateOf('b', 110n);
      await notify(PUBLICATION_CHANNEL, 'b');
      await until(() => reads >= 2);
      await announce('a', 120);
      expect(await scripted.waitFor(120n, 300)).toBe(false);
      await announce('b', 115);
      resolve();
      expect(await scripted.waitFor(115n, SOON)).toBe(true);
      expect(scripted.current()).toEqual(stateOf('b', 115n));
    });

    test('reads again when the state changes during a read', async () => {
      const { promise, resolve } = Promise.withResolvers<void>();
      open = promise;
      await notify(PUBLICATION_CHANNEL, 'a');
      await until(() => reads >= 2);
      published = stateOf('b', 110n);
      await notify(PUBLICATION_CHANNEL, 'b');
      await notify(PUBLICATION_CHANNEL, 'b');
      await announce('a', 200);
      resolve();
      await until(() => scripted.current()?.incarnation === 'b');
      expect(scripted.current()).toEqual(published);
      expect(mostAtOnce).toBe(1);
    });

    test('never moves backwards', async () => {
      await announce('a', 90);
      await announce('b', 300);
      expect(await scripted.waitFor(101n, 300)).toBe(false);
      expect(scripted.current()).toEqual(stateOf('a', 100n));
      await announce('a', 200);
      expect(await scripted.waitFor(200n, SOON)).toBe(true);
      await notify(PUBLICATION_CHANNEL, 'a');
      await until(() => reads >= 2);
      await announce('a', 150);
      expect(await scripted.waitFor(201n, 300)).toBe(false);
      expect(scripted.current()).toEqual(stateOf('a', 200n));
    });

    test.each(['', 'nonsense', 'null', '7', '{"incarnation":"a"}', '{"incarnation":"a","position":"x"}'])(
      'reads the state itself on the malformed notification %j',
      async (payload) => {
        published = stateOf('a', 130n);
        await notify(POSITION_CHANNEL, payload);
        expect(await scripted.waitFor(130n, SOON)).toBe(true);
      },
    );

    test('stops although the server is frozen', async () => {
      const { rows } = await bench.pool.query<{ pid: number }>(
        `SELECT pid FROM pg_stat_activity
        WHERE application_name = 'plaza-position-listener' AND datname = current_database()`,
      );
      for (const { pid } of rows) process.kill(pid, 'SIGSTOP');
      try {
        const stopped = scripted.stop().then(() => 'stopped');
        expect(await Promise.race([stopped, pause(LONGEST_MS, 'late', { ref: false })])).toBe('stopped');
      } finally {
        for (const { pid } of rows) process.kill(pid, 'SIGCONT');
      }
    });
  });
});

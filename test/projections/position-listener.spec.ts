import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { pino } from 'pino';
import { PositionListener } from '../../projections/runner/position-listener.js';
import { PUBLICATION_CHANNEL, quarantine } from '../../src/recovery/incarnation.js';
import { readRecoveryState } from '../../src/recovery/recovery-state.js';
import type { RecoveryState } from '../../src/recovery/recovery-state.js';
import { startTestPostgres } from '../support/postgres.js';
import type { TestPostgres } from '../support/postgres.js';
import { until } from '../support/until.js';
import { MemoryLog } from './support/memory-log.js';
import { some } from './support/recorded.js';
import { raised, WorkerBench } from './support/worker.js';

const SOON = 10_000;

describe('a listener to positions', () => {
  let postgres: TestPostgres;
  let bench: WorkerBench;
  let log: MemoryLog;
  let listener: PositionListener;

  beforeAll(async () => {
    postgres = await startTestPostgres();
  });
  afterAll(() => postgres.stop());
  beforeEach(async () => {
    bench = await WorkerBench.open(await postgres.createDatabase());
    log = new MemoryLog();
    listener = new PositionListener({
      databaseUrl: bench.databaseUrl,
      publicationChannel: PUBLICATION_CHANNEL,
      read: readRecoveryState,
      logger: pino({ level: 'silent' }),
    });
    listener.start();
  });
  afterEach(async () => {
    await listener.stop();
    await bench.close();
  });

  test('knows nothing until something is published, then what and how far', async () => {
    expect(listener.current()).toBeUndefined();
    const [, post] = log.add(some.founding('n'), some.post('p1'));
    bench.start(log);
    expect(await listener.waitFor(post?.position ?? 0n, SOON)).toBe(true);
    const state = await bench.state();
    expect(listener.current()).toMatchObject({
      incarnation: state?.incarnation,
      appliedPosition: post?.position,
    });
  });

  test('answers at once for a position that is reached, and waits for one that is not', async () => {
    const [, first] = log.add(some.founding('n'), some.post('p1'));
    bench.start(log);
    await listener.waitFor(first?.position ?? 0n, SOON);
    const later = (first?.position ?? 0n) + 1n;
    expect(await listener.waitFor(first?.position ?? 0n, 0)).toBe(true);
    expect(await listener.waitFor(later, 50)).toBe(false);
    const waiting = listener.waitFor(later, SOON);
    log.add(some.post('p2'));
    expect(await waiting).toBe(true);
  });

  test('knows when the publication changes, by its status or by another incarnation', async () => {
    const [, post] = log.add(some.founding('n'), some.post('p1'));
    bench.start(log);
    await listener.waitFor(post?.position ?? 0n, SOON);
    bench.start(log, raised);
    const { incarnation } = await until(async () => {
      const state = await bench.state();
      return state?.versions['posts'] === raised.projections[0]?.version && state;
    });
    await until(() => listener.current()?.incarnation === incarnation);
    const client = await bench.pool.connect();
    await quarantine(client, incarnation, 'for the test');
    client.release();
    await until(() => (listener.current() as RecoveryState).status === 'quarantined');
    expect(listener.current()).toMatchObject({ incarnation, appliedPosition: post?.position });
  });

  test('catches up with what it missed while Postgres was away', async () => {
    log.add(some.founding('n'), some.post('p1'));
    bench.start(log);
    await until(() => listener.current()?.appliedPosition);
    await postgres.kill();
    const [missed] = log.add(some.post('p2'));
    const waiting = listener.waitFor(missed?.position ?? 0n, 25_000);
    await postgres.start();
    expect(await waiting).toBe(true);
  });

  test('tells whoever waits when it stops', async () => {
    const waiting = listener.waitFor(1n, SOON);
    await listener.stop();
    expect(await waiting).toBe(false);
    expect(await listener.waitFor(1n, SOON)).toBe(false);
  });
});

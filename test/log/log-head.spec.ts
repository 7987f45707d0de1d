import { cpSync, rmSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { LogUnavailable } from '../../src/log/event-log.js';
import type { EventLog } from '../../src/log/event-log.js';
import type { OpenLog } from '../../src/log/open-log.js';
import { TestCluster } from '../support/cluster.js';
import type { ClusterNode } from '../support/cluster-node.js';
import { until } from '../support/until.js';
import { LogBench } from './support/log-bench.js';

const EVENTS = 2_000;
const BYTES = 10_000;

let bench: LogBench;

beforeAll(async () => {
  bench = await LogBench.open();
});
afterAll(() => bench?.close());

describe('statistics that a server wrote after the newest event', () => {
  let cluster: TestCluster;
  let node: ClusterNode;
  let opened: OpenLog;
  let log: EventLog;
  let position: bigint;

  beforeEach(async () => {
    cluster = await TestCluster.start(1);
    node = cluster.nodes[0]!;
    opened = await bench.openAnother(node.url);
    log = opened.log;
    ({ position } = await append('before them'));
    await cluster.writeStatistics(EVENTS, BYTES);
  });
  afterEach(async () => {
    await opened?.close();
    await cluster?.stop();
  });

  const append = (text: string) => bench.appendPost('alice', text, undefined, log);

  /** The amount that the server sends during `work`, in statistics events. */
  async function statisticsSentDuring(work: () => Promise<unknown>): Promise<number> {
    const before = node.network.bytesAnswered();
    await work();
    return (node.network.bytesAnswered() - before) / BYTES;
  }

  it('are not read by the reachability check', async () => {
    expect(await statisticsSentDuring(() => log.reach())).toBeLessThan(2);
  });

  it('are read once by concurrent callers, and only new ones later', async () => {
    const readHeadTwice = async () =>
      expect(await Promise.all([head(), head()])).toEqual([position, position]);
    // An interrupted read receives some statistics a second time.
    expect(await statisticsSentDuring(readHeadTwice)).toBeLessThan(EVENTS * 1.3);
    expect(await statisticsSentDuring(readHeadTwice)).toBeLessThan(4);
    await cluster.writeStatistics(100, BYTES);
    expect(await statisticsSentDuring(readHeadTwice)).toBeLessThan(200);
    const later = await append('behind them');
    expect(await head()).toBe(later.position);
    await cluster.writeStatistics(100, BYTES);
    expect(await head()).toBe(later.position);
  });

  it('do not hide an event that was written while they were read', async () => {
    const before = node.network.bytesAnswered();
    const walking = log.head();
    walking.catch(() => undefined);
    await until(() => node.network.bytesAnswered() > before + BYTES);
    const later = await append('behind them');
    expect(await head()).toBe(later.position);
    // A busy machine may interrupt the read.
    await walking.catch(() => undefined);
  });

  it('are read from where an interrupted read stopped', async () => {
    const told = await statisticsSentDuring(async () => {
      const { walk } = await interruptibleRead((EVENTS * BYTES) / 2);
      node.network.reset();
      await expect(walk).rejects.toBeInstanceOf(LogUnavailable);
      expect(await head()).toBe(position);
    });
    expect(told).toBeLessThan(EVENTS * 1.3);
  });

  /** The head of the log. Retries, since a busy machine may interrupt a read. */
  function head(): Promise<bigint> {
    return until(() => log.head().catch(() => undefined));
  }

  /** Starts head reads until one has received so many bytes, and returns it unfinished. */
  function interruptibleRead(bytes: number): Promise<{ walk: Promise<unknown> }> {
    const before = node.network.bytesAnswered();
    return until(async () => {
      const walk = log.head();
      const ended = walk.then(
        () => true,
        () => true,
      );
      while (!(await Promise.race([ended, pause(5, false)])))
        if (node.network.bytesAnswered() - before > bytes) return { walk };
      return undefined;
    });
  }
});

it('a rolled-back log forgets the head that was read before', async () => {
  const { position } = await bench.appendPost('alice', 'stays');
  const copy = `${bench.store.dir}-copy`;
  cpSync(bench.store.dir, copy, { recursive: true });
  const lost = await bench.appendPost('alice', 'is lost');
  expect(await bench.log.head()).toBe(lost.position);
  await bench.store.kill('SIGKILL');
  rmSync(bench.store.dir, { recursive: true });
  cpSync(copy, bench.store.dir, { recursive: true });
  rmSync(copy, { recursive: true });
  await bench.restartStore();
  expect(await until(() => bench.log.head().catch(() => undefined))).toBe(position);
});

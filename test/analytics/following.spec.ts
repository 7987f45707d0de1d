/** @waits */
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { on, once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { readState, requireState } from '../../src/analytics/data-set/commits.js';
import { compact } from '../../src/analytics/data-set/compaction.js';
import { DataSet } from '../../src/analytics/data-set/data-set.js';
import { exportDataSet } from '../../src/analytics/export/export-data-set.js';
import { exportEvents } from '../../src/analytics/export/export.js';
import { Freshness } from '../../src/analytics/export/freshness.js';
import { readCompleteUntil } from '../../src/analytics/data-set/complete-until.js';
import type { ExportOptions } from '../../src/analytics/export/export.js';
import { readConfig } from '../../src/base/config/config.js';
import { writeRunFile } from '../../src/launch/run-file.js';
import { environment, plaza } from '../support/command.js';
import { startEmbeddedEventStore } from '@plaza/event-store/testing';
import type { EmbeddedEventStore } from '@plaza/event-store/testing';
import { until } from '../support/until.js';
import { DAY_MS, ExportBench, FIRST_DAY, positionsOf } from './support/export-bench.js';

let bench: ExportBench;
let dir: string;

beforeAll(async () => {
  bench = await ExportBench.open();
  await bench.appendPosts(0, 1);
});

beforeEach(() => {
  dir = bench.newDir();
});

afterAll(() => bench?.close());

/** Runs an export in this process; `now`: the time by which days are over. */
async function exporting(options: Partial<ExportOptions>, work: (stop: () => void) => Promise<void>) {
  const stop = new AbortController();
  const { now = Date.now } = options;
  const dataSet = DataSet.open(dir, { personal: 'none', since: null }, { now, randomBytes });
  const { log } = bench.logBench;
  const exported = exportEvents(log, dataSet, { follow: true, signal: stop.signal, now, ...options });
  try {
    await Promise.race([work(() => stop.abort()), exported]);
  } finally {
    stop.abort();
    await exported;
    dataSet.close();
  }
  return exported;
}

it('--follow exports new events until Ctrl-C, which keeps what was read', async () => {
  const child = spawn(process.execPath, [plaza, 'analytics', 'export', dir, '--follow', '--json'], {
    env: environment(bench.env),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = once(child, 'exit');
  const lines = on(createInterface(child.stderr), 'line') as AsyncIterable<[string]>;
  let line = '';
  for await ([line] of lines) if (line.startsWith('{')) break;
  expect(JSON.parse(line)).toMatchObject({
    what: 'events',
    done: expect.any(Number),
    total: expect.any(Number),
    rate: expect.any(Number),
  });
  child.kill('SIGINT');
  const [[code], stdout] = await Promise.all([ended, text(child.stdout)]);
  expect([code, (JSON.parse(stdout) as { events: number }).events]).toEqual([
    0,
    (await positionsOf(dir)).length,
  ]);
  expect(await positionsOf(dir)).toEqual(await bench.logged());
});

it('events wait for a flush no longer than its interval', async () => {
  await exporting({ flushMs: 1 }, async () => {
    for (let n = 0; n < 3; n++) {
      await bench.appendPosts(2);
      const logged = await bench.logged();
      await until(() => requireState(dir).checkpoint?.position === logged.at(-1));
    }
  });
  expect(await positionsOf(dir)).toEqual(await bench.logged());
});

it('--follow keeps at most ten files of a finished day, and no swarm of small files of the present one', async () => {
  const most = new Map<string, number>();
  const now = () => FIRST_DAY + 5 * DAY_MS;
  await exporting({ flushMs: 1, now }, async () => {
    for (let n = 0; n < 25; n++) {
      await bench.appendPosts(3, 5);
      const logged = await bench.logged();
      await until(() => requireState(dir).checkpoint?.position === logged.at(-1));
      for (const [day, { length }] of Map.groupBy(requireState(dir).files, (file) => file.day))
        most.set(day, Math.max(most.get(day) ?? 0, length));
    }
  });
  const [finished = 0, present = 0] = [most.get('2026-01-04'), most.get('2026-01-06')];
  // One more than ten until the flush is followed by its merge.
  expect([finished > 5, finished <= 11]).toEqual([true, true]);
  expect([present > 1, present <= 20]).toEqual([true, true]);
  expect(await positionsOf(dir)).toEqual(await bench.logged());
  await bench.plaza('export', dir);
  const { files } = requireState(dir);
  expect(new Set(files.map(({ day }) => day)).size).toBe(files.length);
  expect(await positionsOf(dir)).toEqual(await bench.logged());
});

it('a compaction ends between two merges when the export is stopped', async () => {
  await bench.appendPosts(8, 8, 9, 9);
  const options = { follow: false, flushRows: 1, now: () => FIRST_DAY };
  await exporting(options, () => new Promise(() => undefined));
  const stop = new AbortController();
  let merges = 0;
  const onStep = (phase: string, step: string) => {
    if (phase !== 'compaction' || step !== 'commit synced') return;
    merges += 1;
    stop.abort();
  };
  const initial = { personal: 'none', since: null } as const;
  const dataSet = DataSet.open(dir, initial, { now: Date.now, randomBytes, onStep });
  await compact(dataSet, { isIdle: true, now: Date.now, signal: stop.signal });
  dataSet.close();
  expect(merges).toBe(1);
  expect(await positionsOf(dir)).toEqual(await bench.logged());
});

it('rows are flushed when their texts are long, and large files are not merged', async () => {
  await bench.appendPosts(10, 10, 10, 10);
  const { log } = bench.logBench;
  const oneByOne: typeof log.undecoded = (options) => log.undecoded({ ...options, batchSize: 1 });
  const initial = { personal: 'none', since: null } as const;
  const signal = new AbortController().signal;
  const now = () => FIRST_DAY;
  const filesOfDay = () => requireState(dir).files.filter(({ day }) => day === '2026-01-11').length;
  const written = DataSet.open(dir, initial, { now, randomBytes });
  await exportEvents({ undecoded: oneByOne }, written, { follow: false, signal, now, flushText: 1 });
  written.close();
  expect(filesOfDay()).toBe(4);
  const dataSet = DataSet.open(dir, initial, { now, randomBytes });
  const most = Math.max(...dataSet.state.files.map(({ bytes }) => bytes));
  await compact(dataSet, { isIdle: true, now: Date.now, signal, fullBytes: 2 * most });
  dataSet.close();
  expect(filesOfDay()).toBe(2);
  expect(await positionsOf(dir)).toEqual(await bench.logged());
});

it('a merged file never takes the place of one that it merges, which a reader may have open', async () => {
  const { log } = bench.logBench;
  const initial = { personal: 'none', since: null } as const;
  const signal = new AbortController().signal;
  const now = () => FIRST_DAY + 20 * DAY_MS;
  const written = DataSet.open(dir, initial, { now, randomBytes });
  for (const [posts, flushRows] of [
    [6, 1],
    [12, 12],
    [4, 1],
  ] as const) {
    await bench.appendPosts(...Array.from({ length: posts }, () => 20));
    await exportEvents(log, written, { follow: false, signal, now, flushRows });
  }
  const before = written.state.files.map(({ path }) => [path, readFileSync(join(dir, path), 'hex')] as const);
  await compact(written, { isIdle: true, now: () => now() + DAY_MS, signal });
  written.close();
  expect(requireState(dir).files.filter(({ day }) => day === '2026-01-21')).toHaveLength(1);
  for (const [path, bytes] of before)
    expect([path, readFileSync(join(dir, path), 'hex')]).toEqual([path, bytes]);
  expect(await positionsOf(dir)).toEqual(await bench.logged());
});

it('at most ten files of a finished day stay while an export catches up', async () => {
  await bench.appendPosts(...Array.from({ length: 30 }, () => 7));
  const files: number[] = [];
  const options = { follow: false, flushRows: 1, now: () => FIRST_DAY + 9 * DAY_MS };
  const onProgress = () =>
    files.push(requireState(dir).files.filter(({ day }) => day === '2026-01-08').length);
  const stayed = await exporting({ ...options, onProgress }, () => new Promise(() => undefined));
  expect(stayed.isComplete).toBe(true);
  expect([Math.max(...files) > 1, Math.max(...files) <= 10]).toEqual([true, true]);
  expect(await positionsOf(dir)).toEqual(await bench.logged());
});

it('an export that is stopped goes on from its last event', async () => {
  await bench.appendPosts(...Array.from({ length: 10 }, () => 1));
  const stop = new AbortController();
  const stopped = await exporting(
    { follow: false, flushRows: 2, signal: stop.signal, onProgress: (events) => events >= 4 && stop.abort() },
    () => new Promise(() => undefined),
  );
  expect(stopped.isComplete).toBe(false);
  const logged = await bench.logged();
  expect(await positionsOf(dir)).toEqual(logged.slice(0, stopped.events));
  await bench.plaza('export', dir);
  expect(await positionsOf(dir)).toEqual(logged);
});

const completeUntil = () => readCompleteUntil(dir, requireState(dir));

/** Value of a metric. */
const metric = (file: string, name: string) =>
  Number(new RegExp(`^plaza_analytics_${name} (.*)$`, 'm').exec(readFileSync(file, 'utf8'))?.[1]);

const newestOf = (target: string) => readState(target)?.checkpoint?.position;

it('--follow goes on after a restart that gave the event store another address, and tells the outage and its end', async () => {
  const dataDir = bench.newDir();
  const runsAt = ({ url }: EmbeddedEventStore) =>
    writeRunFile(dataDir, { ready: true, pids: { supervisor: 1 }, settings: { EVENTSTORE_URL: url } });
  const isExported = async () => {
    const newest = (await bench.logged()).at(-1);
    await until(() => newestOf(dir) === newest);
  };
  runsAt(bench.logBench.store);
  const child = spawn(process.execPath, [plaza, 'analytics', 'export', dir, '--follow'], {
    env: environment({ ...bench.env, EVENTSTORE_URL: undefined, DATA_DIR: dataDir }),
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const ended = once(child, 'exit');
  const told: string[] = [];
  createInterface(child.stderr).on('line', (line) => told.push(line));
  await isExported();
  const { store } = bench.logBench;
  await store.kill();
  await until(() => told.some((line) => line.startsWith('the event store does not answer')));
  const elsewhere = await startEmbeddedEventStore({ dir: store.dir });
  expect(elsewhere.port).not.toBe(store.port);
  runsAt(elsewhere);
  await until(() => told.includes('the event store answers again; the export goes on'));
  const there = await bench.logBench.openAnother(elsewhere.url);
  const { position } = await bench.logBench.appendPost('author', 'later', undefined, there.log);
  await until(() => newestOf(dir) === Number(position));
  child.kill('SIGINT');
  expect(await ended).toEqual([0, null]);
  await there.close();
  await elsewhere.kill('SIGTERM');
  await bench.logBench.restartStore();
  expect(await positionsOf(dir)).toEqual(await bench.logged());
});

it('status and metrics tell until when the data set has every event, and --max-lag fails if that is long ago', async () => {
  const metricsFile = join(bench.newDir(), 'plaza.prom');
  for (const wrong of [`${metricsFile}.txt`, join(dir, 'none', 'plaza.prom')])
    expect((await bench.plaza('export', dir, '--metrics', wrong)).stderr).toContain(
      'a name in *.prom, in an existing directory',
    );
  await bench.plaza('export', dir, '--metrics', metricsFile);
  const { completeUntil, events, position } = JSON.parse((await bench.plaza('status', dir, '--json')).stdout);
  expect(Math.abs(completeUntil - Date.now())).toBeLessThan(60_000);
  expect(metric(metricsFile, 'complete_until_seconds')).toBe(completeUntil / 1000);
  expect([metric(metricsFile, 'events'), metric(metricsFile, 'position')]).toEqual([events, position]);
  expect((await bench.plaza('status', dir, '--max-lag', '1h')).code).toBe(0);
  const late = await bench.plaza('status', dir, '--max-lag', '0');
  expect([late.code, late.stderr]).toEqual([
    1,
    expect.stringContaining('does plaza analytics export --follow run'),
  ]);
});

it('a data set that is made anew forgets until when it had every event', async () => {
  await bench.plaza('export', dir);
  const stop = AbortSignal.abort();
  const unrecorded = { obtain: () => Promise.resolve(true) };
  const config = readConfig({ ...bench.env });
  await exportDataSet(config, dir, {
    follow: false,
    rewind: false,
    rebuild: true,
    permission: unrecorded,
    signal: stop,
    now: Date.now,
    onNotice: () => undefined,
    onProgress: () => undefined,
  });
  expect(completeUntil()).toBeUndefined();
});

it('--follow knows of events that it did not export yet', async () => {
  let clock = FIRST_DAY;
  const now = () => clock;
  const { log } = bench.logBench;
  const head = async () => (await log.head()) ?? 0n;
  let next = await head();
  const dataSet = DataSet.open(dir, { personal: 'none', since: null }, { now, randomBytes });
  const stop = new AbortController();
  let asks = 0;
  const freshness = new Freshness({ head: () => Promise.resolve(next).finally(() => (asks += 1)) }, dataSet, {
    now,
  });
  const exported = exportEvents(log, dataSet, {
    follow: true,
    signal: stop.signal,
    now,
    freshness,
    flushMs: 1,
    checkMs: 5,
  });
  await until(() => completeUntil() === FIRST_DAY);
  // The log is said to have an event more.
  next += 1n;
  clock += 1_000;
  const asked = asks;
  await until(() => asks > asked);
  expect(completeUntil()).toBe(FIRST_DAY);
  await bench.appendPosts(3);
  await until(() => completeUntil() !== FIRST_DAY);
  stop.abort();
  await exported;
  dataSet.close();
  expect(completeUntil()).toBeGreaterThanOrEqual(FIRST_DAY + 1_000);
});

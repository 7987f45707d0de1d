import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { on, once } from 'node:events';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { putCommit, requireState } from '../../src/analytics/data-set/commits.js';
import { compact } from '../../src/analytics/data-set/compaction.js';
import { DataSet } from '../../src/analytics/data-set/data-set.js';
import { exportEvents } from '../../src/analytics/export/export.js';
import type { ExportOptions } from '../../src/analytics/export/export.js';
import { environment, plaza } from '../support/command.js';
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
  const { number, files, ...state } = requireState(dir);
  const large = files.map((file) => Object.assign(file, { bytes: 30 * 2 ** 20 }));
  putCommit(dir, { ...state, number: number + 1, files: large }, 'flush', () => undefined);
  const dataSet = DataSet.open(dir, initial, { now, randomBytes });
  await compact(dataSet, { isIdle: true, now: Date.now, signal });
  dataSet.close();
  expect(filesOfDay()).toBe(2);
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

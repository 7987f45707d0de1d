import { randomBytes } from 'node:crypto';
import {
  appendFileSync,
  copyFileSync,
  cpSync,
  existsSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { putCommit, requireState } from '../../src/analytics/data-set/commits.js';
import { DataSet } from '../../src/analytics/data-set/data-set.js';
import { verifyDataSet } from '../../src/analytics/data-set/verify.js';
import { exportEvents } from '../../src/analytics/export/export.js';
import { committedRows, ExportBench, FIRST_DAY, positionsOf } from './support/export-bench.js';

let bench: ExportBench;
let dir: string;

beforeAll(async () => {
  bench = await ExportBench.open();
  await bench.appendPosts(0, 0, 1, 3);
});

beforeEach(() => {
  dir = bench.newDir();
});

afterAll(() => bench?.close());

const exportTo = async (...options: readonly string[]) => {
  const { code, stdout, stderr } = await bench.plaza('export', dir, '--json', ...options);
  expect([code, stderr.split('\n').filter((line) => !line.startsWith('{"what"'))]).toEqual([0, ['']]);
  return JSON.parse(stdout) as { events: number; position: number };
};

const faultsOf = async () => {
  const { code, stdout } = await bench.plaza('verify', dir, '--json');
  return { code, faults: (JSON.parse(stdout) as { faults: unknown }).faults };
};

it('an export has each event of the log once, by day, and goes on where the last one ended', async () => {
  const before = (await bench.logged()).length;
  expect(await exportTo()).toMatchObject({ events: before });
  expect(readdirSync(join(dir, 'events'))).toEqual(['day=2026-01-01', 'day=2026-01-02', 'day=2026-01-04']);
  expect(await exportTo()).toMatchObject({ events: 0 });
  await bench.appendPosts(3);
  expect(await exportTo()).toMatchObject({ events: 1 });
  expect(await positionsOf(dir)).toEqual(await bench.logged());
  expect(await faultsOf()).toEqual({ code: 0, faults: [] });
});

it('rows have the ids of applications and events, pseudonyms of people and posts, and no text', async () => {
  await exportTo();
  const [row] = await committedRows(dir);
  expect(row).toMatchObject({
    type: 'post.created',
    occurred_at: BigInt(Date.UTC(2026, 0, 1)) * 1_000n,
    by_app_id: 'app',
    app_id: 'app',
    by_operator: false,
    data: '{"audience":"public"}',
    author_actor_id: expect.stringMatching(/^[\w-]{22}$/),
  });
  expect(row?.['by_actor_id']).not.toBe(row?.['author_actor_id']);
  const secondDir = bench.newDir();
  await bench.plaza('export', secondDir);
  const [other] = await committedRows(secondDir);
  expect([other?.['event_id'], other?.['post_id']]).toEqual([
    row?.['event_id'],
    expect.not.stringMatching(String(row?.['post_id'])),
  ]);
});

it('a second export into the same directory is refused, and another directory with files too', async () => {
  await exportTo();
  const held = DataSet.open(dir, { personal: 'none', since: null }, { now: Date.now, randomBytes });
  try {
    const { code, stderr } = await bench.plaza('export', dir);
    expect([code, stderr]).toEqual([1, `another process exports into ${dir}; run one export at a time\n`]);
    expect(JSON.parse((await bench.plaza('status', dir, '--json')).stdout)).toMatchObject({
      isExporting: true,
    });
  } finally {
    held.close();
  }
  const other = bench.newDir();
  writeFileSync(join(other, 'letter.txt'), 'of somebody');
  expect((await bench.plaza('export', other)).stderr).toContain('is no data set and holds letter.txt');
  const letter = join(other, 'letter.txt');
  expect((await bench.plaza('export', letter)).stderr).toBe(
    `${letter} is a file: name an empty or new directory\n`,
  );
});

it('a commit of another process is never replaced', async () => {
  await exportTo();
  const state = requireState(dir);
  expect(() => putCommit(dir, state, 'flush', () => undefined)).toThrow('another process exports into');
});

it('a fault right after a commit removes none of the files that it names', async () => {
  await exportTo();
  await bench.appendPosts(3);
  const onStep = (_: unknown, step: string) => {
    if (step === 'commit linked') throw new Error('the disk broke');
  };
  const dataSet = DataSet.open(
    dir,
    { personal: 'none', since: null },
    { now: Date.now, randomBytes, onStep },
  );
  const options = { follow: false, signal: new AbortController().signal, now: Date.now };
  await expect(exportEvents(bench.logBench.log, dataSet, options)).rejects.toThrow('the disk broke');
  dataSet.sweep();
  dataSet.close();
  await exportTo();
  expect(await positionsOf(dir)).toEqual(await bench.logged());
  expect(await faultsOf()).toEqual({ code: 0, faults: [] });
});

it('verify names a changed, a missing and a foreign file, and a changed commit', async () => {
  await exportTo();
  const [changed, missing] = requireState(dir).files.map(({ path }) => path);
  appendFileSync(join(dir, changed!), ' ');
  rmSync(join(dir, missing!));
  writeFileSync(join(dir, 'events', 'day=2026-01-01', 'notes.parquet'), '');
  writeFileSync(join(dir, 'applications.json'), '{}');
  const { code, faults } = await faultsOf();
  expect(code).toBe(1);
  expect(faults).toEqual([
    { path: changed, fault: 'changed' },
    { path: missing, fault: 'missing' },
    { path: 'applications.json', fault: 'changed' },
    { path: 'events/day=2026-01-01/notes.parquet', fault: 'foreign' },
  ]);
  const newest = readdirSync(join(dir, 'commits')).toSorted().at(-1);
  const whole = bench.newDir();
  await bench.plaza('export', whole);
  for (const args of [
    ['query', whole, 'SELECT 1', '--parquet'],
    ['report', whole],
    ['catalog', whole],
  ])
    expect((await bench.plaza(...args, join(whole, 'events', 'mine'))).stderr).toContain(
      'name another place',
    );
  writeFileSync(join(whole, 'events', 'notes.parquet'), '');
  expect((await bench.plaza('verify', whole)).stderr).toContain('move them away');
  const commit = join(dir, 'commits', newest!);
  const text = JSON.stringify(requireState(dir)).replace('"personal":"none"', '"personal":"encrypted"');
  writeFileSync(commit, `{"sha256":"${'0'.repeat(64)}","state":${text}}`);
  expect((await bench.plaza('verify', dir)).stderr).toContain('are damaged');
});

it('a missing file is told by status, export and prune, until a rebuild, and may be forgotten', async () => {
  await exportTo();
  const [file] = requireState(dir).files.map(({ path }) => join(dir, path));
  rmSync(file!);
  for (const args of [['status'], ['export'], ['prune', '--before', '2026-01-03']]) {
    const { code, stderr } = await bench.plaza(args[0]!, dir, ...args.slice(1));
    expect([args[0], code, stderr]).toEqual([
      args[0],
      1,
      expect.stringContaining(`${file} is missing or was cut off`),
    ]);
  }
  const copy = bench.newDir();
  cpSync(dir, copy, { recursive: true });
  expect((await bench.plaza('export', dir, '--rebuild')).code).toBe(0);
  expect(await positionsOf(dir)).toEqual(await bench.logged());
  expect((await bench.plaza('prune', copy, '--before', '2026-01-02', '--forget')).code).toBe(0);
});

it('verify lets an export go on meanwhile, and misses no file that a merge removed', async () => {
  await exportTo();
  const [, merged] = requireState(dir).files;
  const path = merged!.path.replace(/\d+\.parquet$/, `${merged!.last + 1}.parquet`);
  let hours = 0;
  const options = { now: () => FIRST_DAY + hours * 3_600_000, randomBytes };
  let isMerged = false;
  const verified = await verifyDataSet(dir, () => {
    if (isMerged) return;
    const dataSet = DataSet.open(dir, { personal: 'none', since: null }, options);
    const removed = dataSet.state.files.filter((file) => file.path === merged!.path);
    copyFileSync(join(dir, merged!.path), join(dir, path));
    dataSet.commit('compaction', { added: [{ ...merged!, path }], removed });
    expect(existsSync(join(dir, merged!.path))).toBe(true);
    hours = 1;
    dataSet.commit('flush', {});
    dataSet.close();
    isMerged = true;
  });
  expect([isMerged, existsSync(join(dir, merged!.path))]).toEqual([true, false]);
  expect(verified).toMatchObject({ files: 3, faults: [], foreignSearched: true });
});

it('a day is pruned with later events of it, and --since leaves older days out', async () => {
  await exportTo('--since', '2026-01-02');
  expect(await committedRows(dir)).toHaveLength((await bench.logged()).length - 2);
  const { code, stderr } = await bench.plaza('export', dir, '--since', '1d');
  expect([code, stderr.split('\n')[0]]).toEqual([
    0,
    `${dir} begins at 2026-01-02T00:00:00.000Z, as before: only --rebuild changes that`,
  ]);
  expect(await committedRows(dir)).toHaveLength((await bench.logged()).length - 2);
  expect((await bench.plaza('export', bench.newDir(), '--since', '2099-01-01')).stderr).toContain(
    'not over yet',
  );
  const whole = bench.newDir();
  await bench.plaza('export', whole);
  expect(await bench.plaza('export', whole, '--since', '2026-01-03')).toMatchObject({
    code: 1,
    stderr: `${whole} begins with the first event: leave --since out, or export anew with --rebuild --since\n`,
  });
  const { stdout } = await bench.plaza('prune', dir, '--before', '2026-01-04T12:00Z', '--json');
  expect(JSON.parse(stdout)).toEqual({ firstDay: '2026-01-04', days: 1, events: 1, folded: 0 });
  expect(readdirSync(join(dir, 'events'))).toEqual(['day=2026-01-04']);
  await bench.appendPosts(2, 4);
  await exportTo();
  expect(readdirSync(join(dir, 'events'))).toEqual(['day=2026-01-04', 'day=2026-01-05']);
  expect(await faultsOf()).toEqual({ code: 0, faults: [] });
});

it('a prune of days to come is refused, and removes nothing', async () => {
  await exportTo();
  const before = requireState(dir);
  const { code, stderr } = await bench.plaza('prune', dir, '--before', '2999-01-01');
  expect([code, stderr]).toEqual([1, expect.stringContaining('--before 2999-01-01 lies ahead')]);
  expect(requireState(dir)).toEqual(before);
});

it('status, files and schema describe the data set', async () => {
  await exportTo();
  const { stdout } = await bench.plaza('status', dir, '--json');
  const logged = await bench.logged();
  expect(JSON.parse(stdout)).toMatchObject({
    events: logged.length,
    position: logged.at(-1),
    firstDay: '2026-01-01',
    hasOlderColumns: false,
  });
  const files = (await bench.plaza('files', dir)).stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { path: string; bytes: number });
  expect(files.map(({ path }) => statSync(join(dir, path)).size)).toEqual(files.map(({ bytes }) => bytes));
  const columns = (await bench.plaza('schema', dir)).stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { view: string; name: string });
  const names = columns.filter(({ view }) => view === 'events').map(({ name }) => name);
  expect(names).toEqual([...Object.keys((await committedRows(dir))[0] ?? {}), 'day']);
  for (const command of ['status', 'files', 'schema', 'verify']) {
    const { code, stderr } = await bench.plaza(command, join(dir, 'none'));
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining('is no data set: run plaza analytics export'),
    ]);
  }
});

it('a query names a file that is missing', async () => {
  await exportTo();
  const [file = ''] = requireState(dir).files.map(({ path }) => path);
  rmSync(join(dir, file));
  const { code, stderr } = await bench.plaza('query', dir, 'SELECT count(*) FROM events');
  expect([code, stderr]).toEqual([
    1,
    expect.stringContaining(`${file} is missing; see plaza analytics verify`),
  ]);
});

it('a data set without its key is not gone on with', async () => {
  await exportTo();
  rmSync(join(dir, 'key'));
  const { code, stderr } = await bench.plaza('export', dir);
  expect([code, stderr, existsSync(join(dir, 'key'))]).toEqual([
    1,
    expect.stringContaining('key is missing'),
    false,
  ]);
});

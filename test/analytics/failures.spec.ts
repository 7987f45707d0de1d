/** @waits */
import { readdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { freePort } from '../../src/launch/free-port.js';
import { runPlaza } from '../support/command.js';
import { canHaveSmallDisk, makeSmallDisk } from '@plaza/event-store/testing';
import type { SmallDisk } from '@plaza/event-store/testing';
import { ExportBench, positionsOf, withoutNotice } from './support/export-bench.js';

/** A lock and one of the files that an export writes. */
const SPACE_FOR_A_FILE = 16_384;

let bench: ExportBench;

beforeAll(async () => {
  bench = await ExportBench.open();
  await bench.appendPosts(0, 1);
});

afterAll(() => bench?.close());

it.each([
  ['and ends before the checkpoint', 0],
  ['and was written on', 3],
])(
  'a log that was set back %s is refused with the reason, and exported exactly with --rewind',
  async (_, written) => {
    const dir = bench.newDir();
    await bench.plaza('export', dir);
    await bench.setBack(async () => {
      await bench.appendPosts(1, 2, 2);
      await bench.plaza('export', dir);
    });
    for (let n = 0; n < written; n++) await bench.appendPosts(3);
    const exported = await positionsOf(dir);
    const refused = await bench.plaza('export', dir);
    expect(refused).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(/^The log was replaced: .* --rewind\n$/),
    });
    expect(await positionsOf(dir)).toEqual(exported);
    const { code, stdout, stderr } = await bench.plaza('export', dir, '--rewind', '--json');
    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.any(String) });
    expect(JSON.parse(stdout)).toMatchObject({ rewound: { droppedEvents: expect.any(Number) } });
    expect(await positionsOf(dir)).toEqual(await bench.logged());
    expect(await bench.plaza('verify', dir)).toMatchObject({ code: 0 });
  },
);

it('an export that meets no event store says so, and a missing address too', async () => {
  const dir = bench.newDir();
  const away = { ...bench.env, EVENTSTORE_URL: `esdb://127.0.0.1:${await freePort()}?tls=false` };
  await bench.plaza('export', dir);
  const exported = await positionsOf(dir);
  for (const options of [[], ['--rebuild']]) {
    const { code, stderr } = withoutNotice(await runPlaza(['analytics', 'export', dir, ...options], away));
    expect([code, stderr]).toEqual([1, expect.stringMatching(/^the event store does not answer: [^\n]+\n$/)]);
  }
  expect(await positionsOf(dir)).toEqual(exported);
  const none = await runPlaza(['analytics', 'export', dir], { DATA_DIR: dir });
  expect(none).toMatchObject({
    code: 1,
    stderr: `no network runs on ${dir}: start it, or set DATA_DIR or EVENTSTORE_URL\n`,
  });
});

it('a data set whose lock cannot be used is read, and an export into it ends with one line', async () => {
  const dir = bench.newDir();
  await bench.plaza('export', dir);
  writeFileSync(join(dir, 'lock'), 'no lock'.repeat(1_000));
  const status = await bench.plaza('status', dir, '--json');
  expect(JSON.parse(status.stdout)).toMatchObject({ isExporting: false });
  expect(await bench.plaza('verify', dir)).toMatchObject({ code: 0 });
  expect(await bench.plaza('export', dir)).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^[^\n]+lock cannot be used as a lock[^\n]+\n$/),
  });
});

/** Module that fills the disk of a file when an export shows its first progress. */
const fillOnProgress = (file: string) => `
  import { appendFileSync } from 'node:fs';
  const write = process.stderr.write;
  process.stderr.write = function (text, ...rest) {
    if (String(text).startsWith('{"what":"events"'))
      for (let room = 64 * 1024; room > 0;)
        try {
          appendFileSync(${JSON.stringify(file)}, Buffer.alloc(room));
        } catch {
          room = Math.floor(room / 2);
        }
    return write.call(this, text, ...rest);
  };`;

(canHaveSmallDisk ? describe : describe.skip)('on a full disk (needs root, for a small disk)', () => {
  let disk: SmallDisk;

  beforeAll(() => {
    disk = makeSmallDisk();
  });

  afterAll(() => disk?.remove());

  it('an export ends with the reason, and is exact once there is space again', async () => {
    const dir = join(disk.dir, 'set');
    expect(await bench.plaza('export', dir)).toMatchObject({ code: 0 });
    const exported = await positionsOf(dir);
    await bench.appendPosts(0, 1, 2, 3);
    const ballast = join(disk.dir, 'ballast');
    const { bavail, bsize } = statfsSync(disk.dir);
    for (const [target, free] of [
      [dir, SPACE_FOR_A_FILE],
      [dir, 0],
      [join(disk.dir, 'other'), 0],
    ] as const) {
      writeFileSync(ballast, Buffer.alloc(bavail * bsize - free));
      if (free === 0) disk.fill();
      expect(await bench.plaza('export', target)).toMatchObject({
        code: 1,
        stderr: expect.stringContaining(`the disk of ${target} is full: free space on it`),
      });
      if (free === 0) disk.empty();
      rmSync(ballast);
      expect(await positionsOf(dir)).toEqual(exported);
    }
    expect(await bench.plaza('export', dir)).toMatchObject({ code: 0 });
    expect(await positionsOf(dir)).toEqual(await bench.logged());
    expect(await bench.plaza('verify', dir)).toMatchObject({ code: 0 });
  });

  it('a rebuild that fills the disk names the command that goes on, which drops nothing', async () => {
    const dir = join(disk.dir, 'rebuilt');
    await bench.plaza('export', dir);
    const ballast = join(disk.dir, 'ballast');
    const hook = join(bench.newDir(), 'hook.mjs');
    writeFileSync(hook, fillOnProgress(ballast));
    const env = { ...bench.env, NODE_OPTIONS: `--import ${hook}` };
    const { code, stderr } = await runPlaza(['analytics', 'export', dir, '--rebuild'], env);
    rmSync(ballast);
    const advice = `free space on it, then run plaza analytics export ${dir}; what was committed stays`;
    expect([code, stderr.trim().split('\n').at(-1)]).toEqual([1, `the disk of ${dir} is full: ${advice}`]);
    expect(await bench.plaza('export', dir)).toMatchObject({ code: 0 });
    expect(await positionsOf(dir)).toEqual(await bench.logged());
  });

  it('a query that is too large for its memory and half of the free space says what to do', async () => {
    const dir = join(disk.dir, 'queried');
    await bench.plaza('export', dir);
    const large = `SELECT count(DISTINCT hash(range)::VARCHAR || repeat('x', 100)) FROM range(1_000_000)`;
    expect(await bench.plaza('query', dir, large, '--memory', '50MB')).toEqual({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(/^the query needs more than .* name a larger --memory[^\n]*\n$/),
    });
  });

  it('a report and a demo end with one line, leave nothing, and work once there is space again', async () => {
    const [dir, demo] = [join(disk.dir, 'reported'), join(disk.dir, 'demo')];
    await bench.plaza('export', dir);
    disk.fill();
    for (const [command, target] of [
      ['report', dir],
      ['demo', demo],
    ] as const)
      expect(await bench.plaza(command, target)).toMatchObject({
        code: 1,
        stdout: '',
        stderr: expect.stringMatching(
          new RegExp(`^(?:\\{"what".*\n)*the disk of ${target} is full: [^\\n]+\\n$`),
        ),
      });
    expect(readdirSync(dir).filter((name) => name.startsWith('report'))).toEqual([]);
    disk.empty();
    expect(await bench.plaza('demo', demo)).toMatchObject({ code: 0 });
    expect(await bench.plaza('report', demo)).toMatchObject({ code: 0 });
  });

  it('a data set on a read-only disk is read, and writing it ends with one line', async () => {
    const [dir, other] = [join(disk.dir, 'frozen'), join(disk.dir, 'new')];
    await bench.plaza('export', dir);
    rmSync(join(dir, 'lock'));
    disk.freeze();
    const status = await bench.plaza('status', dir, '--json');
    expect(JSON.parse(status.stdout)).toMatchObject({ isExporting: false });
    expect(await bench.plaza('verify', dir)).toMatchObject({ code: 0 });
    const page = join(bench.newDir(), 'page.html');
    expect(await bench.plaza('report', dir, page)).toMatchObject({ code: 0, stdout: `wrote ${page}\n` });
    for (const [command, target] of [
      ['export', dir],
      ['report', dir],
      ['demo', other],
    ] as const) {
      const { code, stderr } = await bench.plaza(command, target);
      expect([code, stderr.split('\n').slice(-2)]).toEqual([
        1,
        [
          expect.stringMatching(
            new RegExp(`^${target} cannot be used \\(EROFS: .*: name a directory that this account can`),
          ),
          '',
        ],
      ]);
    }
  });
});

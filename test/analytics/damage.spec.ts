import {
  cpSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { pseudonymOf } from '../../src/analytics/columns/rows.js';
import { putCommit, requireState } from '../../src/analytics/data-set/commits.js';
import { readKey } from '../../src/analytics/data-set/data-set.js';
import { parseCommit } from '../../src/analytics/data-set/state.js';
import { paths } from '../../src/analytics/data-set/paths.js';
import { Random } from '../../src/analytics/demo/random.js';
import { openViews } from '../../src/analytics/query/open-views.js';
import { rowsOf } from '../../src/analytics/query/output.js';
import { Failure } from '../../src/base/terminal/failure.js';
import { committedRows, ExportBench, positionsOf } from './support/export-bench.js';

const FLIPS = 100;

let bench: ExportBench;
let whole: string;
let dir: string;

beforeAll(async () => {
  bench = await ExportBench.open();
  await bench.appendPosts(...Array.from({ length: 40 }, (_, n) => n % 2));
  whole = bench.newDir();
  await bench.plaza('export', whole);
});

beforeEach(() => {
  dir = bench.newDir();
  cpSync(whole, dir, { recursive: true });
});

afterAll(() => bench?.close());

function flip(path: string, bit: number): void {
  const bytes = readFileSync(path);
  bytes.writeUInt8(bytes.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
  writeFileSync(path, bytes);
}

const newest = (target = dir) =>
  join(paths.commits(target), readdirSync(paths.commits(target)).sort().at(-1) ?? '');

describe('a flipped bit of a file', () => {
  const everything = async () => {
    const views = await openViews(dir);
    try {
      return await views.query('SELECT * FROM events ORDER BY position', async (result) => {
        const rows: unknown[] = [];
        for await (const row of (await rowsOf(result)).rows) rows.push(row);
        return JSON.stringify(rows);
      });
    } finally {
      views.close();
    }
  };

  it('is told, or changes no row', async () => {
    const rows = await everything();
    const random = new Random(5);
    const { files } = requireState(dir);
    const told: string[] = [];
    for (let n = 0; n < FLIPS; n++) {
      const file = files[Math.floor(random.next() * files.length)]!;
      const [path, bit] = [join(dir, file.path), Math.floor(random.next() * file.bytes * 8)];
      flip(path, bit);
      const read = await everything().catch((error: unknown) => {
        if (!(error instanceof Failure)) throw error;
        told.push(error.message);
        return rows;
      });
      expect([bit, read]).toEqual([bit, rows]);
      flip(path, bit);
    }
    expect(told.length).toBeGreaterThan(FLIPS * 0.9);
    expect(told.filter((message) => !/\.parquet was changed/.test(message))).toEqual([]);
    expect(await everything()).toBe(rows);
  });

  it('ends a search for a pseudonym and a merge with the name of the file', async () => {
    const [file] = requireState(dir).files;
    flip(join(dir, file!.path), 8 * (file!.bytes - 30));
    const resolved = await bench.plaza('resolve', dir, 'anybody', '--reason', 'a test');
    expect([resolved.code, resolved.stderr]).toEqual([
      1,
      expect.stringContaining(`${file!.path} was changed`),
    ]);
    await bench.appendPosts(0);
    const exported = () => bench.plaza('export', dir);
    const refused = { code: 1, stderr: expect.stringContaining(`${file!.path} was changed`) };
    expect(await exported()).toMatchObject(refused);
    bench.rewrite(dir, ({ files, ...state }) => ({
      ...state,
      files: files.map(({ outside: _outside, ...each }) => each),
    }));
    expect(await exported()).toMatchObject(refused);
  });
});

describe('a damaged newest commit', () => {
  it.each([
    ['with a flipped bit', () => flip(newest(), 800)],
    ['cut off', () => truncateSync(newest(), 100)],
    ['without a byte', () => truncateSync(newest(), 0)],
  ])('is left out, and the export goes on from the one before: %s', async (_name, damage) => {
    await bench.appendPosts(9);
    await bench.plaza('export', dir);
    damage();
    const { number } = requireState(dir);
    const count = await bench.plaza('query', dir, 'SELECT count(*)::INT AS events FROM events');
    expect([count.code, count.stderr]).toEqual([0, expect.stringContaining('is damaged and left out')]);
    const exported = await bench.plaza('export', dir);
    expect([exported.code, exported.stderr]).toEqual([0, expect.stringContaining('is damaged and left out')]);
    expect(requireState(dir).number).toBeGreaterThan(number);
    expect(await positionsOf(dir)).toEqual(await bench.logged());
    expect((await bench.plaza('query', dir, 'SELECT 1 AS one')).stderr).toBe('');
    expect(
      readdirSync(paths.commits(dir)).filter((name) => name.endsWith('.damaged')).length,
    ).toBeGreaterThan(0);
  });

  it('is left out, too, if the export was killed while it renamed two of them, and status counts them', async () => {
    for (const day of [8, 9]) {
      await bench.appendPosts(day);
      await bench.plaza('export', dir);
    }
    const commits = readdirSync(paths.commits(dir)).toSorted().slice(-2);
    for (const name of commits) flip(join(paths.commits(dir), name), 800);
    const older = join(paths.commits(dir), commits[0]!);
    renameSync(older, `${older}.damaged`);
    expect(JSON.parse((await bench.plaza('status', dir, '--json')).stdout)).toMatchObject({
      damagedCommits: 1,
    });
    const exported = await bench.plaza('export', dir);
    expect([exported.code, exported.stderr]).toEqual([0, expect.stringContaining('is damaged and left out')]);
    expect(await positionsOf(dir)).toEqual(await bench.logged());
  });

  it('does not say that an older one has every event', async () => {
    const isCaughtUp = async () =>
      (await bench.plaza('query', dir, 'SELECT is_caught_up FROM data_set')).stdout;
    await bench.appendPosts(9);
    await bench.plaza('export', dir);
    expect(await isCaughtUp()).toBe('{"is_caught_up":true}\n');
    const { checkpoint } = requireState(dir);
    for (const name of readdirSync(paths.commits(dir))) {
      const path = join(paths.commits(dir), name);
      if (parseCommit(readFileSync(path, 'utf8')).checkpoint?.position === checkpoint?.position)
        flip(path, 800);
    }
    expect(await isCaughtUp()).toBe('{"is_caught_up":false}\n');
  });

  it('does not bring back what a prune removed', async () => {
    const pruned = await bench.plaza('prune', dir, '--before', '2026-01-02');
    expect(pruned.code).toBe(0);
    flip(newest(), 800);
    const refused = await bench.plaza('export', dir);
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('--rebuild')]);
    expect((await bench.plaza('export', dir, '--rebuild')).code).toBe(0);
    expect(requireState(dir)).toMatchObject({ since: Date.parse('2026-01-02') });
  });

  it('of a data set without another is made good by --rebuild, under the same key', async () => {
    const key = readFileSync(paths.key(dir), 'utf8');
    for (const name of readdirSync(paths.commits(dir))) truncateSync(join(paths.commits(dir), name), 50);
    const refused = await bench.plaza('export', dir);
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('--rebuild')]);
    expect((await bench.plaza('export', dir, '--rebuild')).code).toBe(0);
    expect(readFileSync(paths.key(dir), 'utf8')).toBe(key);
    expect(await positionsOf(dir)).toEqual(await bench.logged());
    expect((await bench.plaza('verify', dir)).code).toBe(0);
  });
});

describe('the key', () => {
  it('of another data set is refused, by an export and by a search', async () => {
    const other = bench.newDir();
    await bench.plaza('export', other);
    cpSync(paths.key(other), paths.key(dir));
    for (const args of [
      ['export', dir],
      ['export', dir, '--rebuild'],
      ['resolve', dir, 'anybody', '--reason', 'a test'],
    ])
      expect([await bench.plaza(...args)]).toEqual([
        expect.objectContaining({ code: 1, stderr: expect.stringContaining('the key of another data set') }),
      ]);
  });

  it('may lie apart from the data, behind a link; a reader without it needs none', async () => {
    const apart = join(bench.newDir(), 'key');
    renameSync(paths.key(dir), apart);
    symlinkSync(apart, paths.key(dir));
    await bench.appendPosts(2);
    expect((await bench.plaza('export', dir)).code).toBe(0);
    const rows = await committedRows(dir);
    expect(rows.at(-1)?.['author_actor_id']).toBe(pseudonymOf(readKey(dir)!, 'author-2'));
    rmSync(apart);
    expect((await bench.plaza('query', dir, 'SELECT 1 AS one', '--csv')).code).toBe(0);
    expect((await bench.plaza('export', dir)).stderr).toContain('is missing');
  });

  it('is made behind a link that was there before the first export, and never lies with the data', async () => {
    const [first, volume] = [bench.newDir(), join(bench.newDir(), 'volume')];
    symlinkSync(join(volume, 'key'), paths.key(first));
    const { code, stderr } = await bench.plaza('export', first);
    expect([code, stderr]).toEqual([1, expect.stringContaining('whose directory does not exist')]);
    mkdirSync(volume);
    expect((await bench.plaza('export', first)).code).toBe(0);
    expect([readdirSync(volume), statSync(join(volume, 'key')).mode & 0o777]).toEqual([['key'], 0o600]);
    expect(lstatSync(paths.key(first)).isSymbolicLink()).toBe(true);
    expect(readKey(first)).toHaveLength(32);
    expect((await bench.plaza('export', first)).code).toBe(0);
  });

  it('is proven from the first commit on that follows those of the release before', async () => {
    const { keyProof, files, ...state } = requireState(dir);
    expect(keyProof).toMatch(/^[0-9a-f]{64}$/);
    const older = {
      ...state,
      format: 1 as const,
      files: files.map((file) => Object.assign(file, { outside: undefined })),
    };
    rmSync(paths.commits(dir), { recursive: true });
    mkdirSync(paths.commits(dir));
    putCommit(dir, older, 'flush', () => undefined);
    expect((await bench.plaza('query', dir, 'SELECT count(*)::INT AS n FROM events')).code).toBe(0);
    await bench.appendPosts(1);
    expect((await bench.plaza('export', dir)).code).toBe(0);
    expect(await positionsOf(dir)).toEqual(await bench.logged());
    const { format, keyProof: proven } = requireState(dir);
    expect([format, proven]).toEqual([2, keyProof]);
  });
});

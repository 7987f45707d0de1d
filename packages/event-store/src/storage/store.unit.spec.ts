import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { numbersOf, proposed, range, StoreBench } from '../../test/support/store-bench.js';
import { AppendTooLargeError, DirectoryLockedError, StoreUnavailableError } from '../errors.js';
import { ANY, NO_STREAM } from './expected-revision.js';
import { openStore, type Store } from './store.js';

let bench: StoreBench;

beforeEach(async () => {
  bench = await StoreBench.open();
});

afterEach(() => bench.remove());

describe('the store', () => {
  it('is the same after a restart: events, revisions, deletions, metadata, positions', async () => {
    const before = await bench.reopen();
    await before.append(
      'a',
      NO_STREAM,
      range(200).map((n) => proposed(n)),
    );
    await before.append('b', ANY, [proposed(0)]);
    await before.append('gone', ANY, [proposed(0)]);
    await before.deleteStream('gone', ANY);
    await before.append('closed', ANY, [proposed(0)]);
    await before.tombstoneStream('closed', ANY);
    const limit = { ...proposed(0), type: '$metadata', data: Buffer.from('{"$maxCount":2}') };
    await before.append('$$a', ANY, [limit]);
    const positions = range(before.index.count).map((ordinal) => before.index.positionOf(ordinal));

    const after = await bench.reopen();
    expect(range(after.index.count).map((ordinal) => after.index.positionOf(ordinal))).toEqual(positions);
    expect(await numbersOf(after, 'a')).toEqual([198, 199]);
    expect(await numbersOf(after, 'b')).toEqual([0]);
    expect(await numbersOf(after, 'gone')).toEqual([]);
    expect(await after.append('closed', ANY, [proposed(1)])).toEqual({ kind: 'deleted' });
    expect(await after.append('a', 199, [proposed(200)])).toMatchObject({ kind: 'appended', revision: 200 });
  });

  it('recognizes a repeated append after a restart', async () => {
    const batch = [proposed(0), proposed(1)];
    const first = await (await bench.reopen()).append('a', ANY, batch);
    const after = await bench.reopen();
    expect(await after.append('a', ANY, batch)).toEqual(first);
    expect(await after.append('a', NO_STREAM, batch)).toEqual(first);
    expect(await numbersOf(after, 'a')).toEqual([0, 1]);
  });

  it('shows an append to readers only when it is durable', async () => {
    const open = await bench.reopen();
    const appended = open.append('a', ANY, [proposed(0)]);
    expect(open.index.count).toBe(0);
    await appended;
    expect(open.index.count).toBe(1);
  });

  it('refuses an append because of another one only when that one is durable', async () => {
    const opened = await bench.reopen();
    const winning = opened.append('s', NO_STREAM, [proposed(1)]);
    const losing = opened.append('s', NO_STREAM, [proposed(2)]);
    expect(await losing).toEqual({ kind: 'wrong-expected-revision', current: 0 });
    expect(await numbersOf(opened, 's')).toEqual([1]);
    expect(await winning).toMatchObject({ kind: 'appended', revision: 0 });
  });

  it('continues in another segment when one is full, and reads all of them', async () => {
    const segmentLength = 20_000;
    const before = await bench.reopen({ segmentLength });
    await Promise.all(range(100).map(async (n) => before.append('a', n - 1, [proposed(n, 500)])));
    expect((await bench.logFiles()).length).toBeGreaterThan(3);
    expect(await numbersOf(before, 'a')).toEqual(range(100));
    const after = await bench.reopen({ segmentLength });
    expect(await numbersOf(after, 'a')).toEqual(range(100));
    await after.append('a', 99, [proposed(100)]);
    expect(await numbersOf(after, 'a')).toEqual(range(101));
  });

  it('accepts an append that is larger than a segment', async () => {
    const small = await bench.reopen({ segmentLength: 1000 });
    for (const n of range(3)) await small.append('a', ANY, [proposed(n, 5000)]);
    expect(await numbersOf(await bench.reopen({ segmentLength: 1000 }), 'a')).toEqual([0, 1, 2]);
  });

  it('refuses an append that is larger than recovery accepts, and goes on', async () => {
    const open = await bench.reopen({ fsync: false });
    await open.append('a', ANY, [proposed(0)]);
    const many = range(70).map((n) => proposed(n));
    await expect(open.append('x'.repeat(1024 * 1024), ANY, many)).rejects.toThrow(AppendTooLargeError);
    await open.append('a', 0, [proposed(1)]);
    await bench.closeLikeKilled();
    expect(await numbersOf(await bench.reopen(), 'a')).toEqual([0, 1]);
    expect(bench.logged.some(({ level }) => level === 'warn')).toBe(false);
  });

  it('opens once at a time', async () => {
    const options = { dir: bench.dir, log: () => undefined, now: () => new Date(), newId: randomUUID };
    await bench.reopen();
    await expect(openStore(options)).rejects.toThrow(DirectoryLockedError);
  });

  it('refuses appends once it is closing, and keeps the accepted ones', async () => {
    const open = await bench.reopen();
    const taken = open.append('a', ANY, [proposed(0)]);
    const closing = open.close();
    await expect(open.append('a', ANY, [proposed(1)])).rejects.toThrow(StoreUnavailableError);
    await taken;
    await closing;
    expect(await numbersOf(await bench.reopen(), 'a')).toEqual([0]);
  });

  it('keeps creation times ascending when the clock goes backwards', async () => {
    let ms = 10_000;
    const now = (): Date => new Date(ms);
    const createdIn = (from: Store, stream: string): number[] => {
      const number = from.index.streamNumber(stream)!;
      const ordinals = from.index.ordinalsOf(number, 0, from.index.countOf(number));
      return ordinals.map((ordinal) => from.index.createdMsOf(ordinal));
    };
    const open = await bench.reopen({ now });
    const first = open.append('a', ANY, [proposed(0)]);
    ms = 4000;
    await Promise.all([first, open.append('a', ANY, [proposed(1)]), open.append('b', ANY, [proposed(0)])]);
    const after = await bench.reopen({ now });
    await after.append('a', ANY, [proposed(2)]);
    ms = 11_000;
    await after.append('a', ANY, [proposed(3)]);
    expect(createdIn(after, 'a')).toEqual([10_000, 10_000, 10_000, 11_000]);
    expect(createdIn(after, 'b')).toEqual([4000]);
  });

  it('hides events older than $maxAge, to the millisecond', async () => {
    let ms = 10_000;
    const open = await bench.reopen({ now: () => new Date(ms) });
    const limit = { ...proposed(0), type: '$metadata', data: Buffer.from('{"$maxAge":1}') };
    await open.append('$$a', ANY, [limit]);
    await open.append('a', ANY, [proposed(0)]);
    ms = 10_500;
    await open.append('a', ANY, [proposed(1)]);
    ms = 11_000;
    expect(await numbersOf(open, 'a')).toEqual([0, 1]);
    ms = 11_001;
    expect(await numbersOf(open, 'a')).toEqual([1]);
  });

  it('creates its directory and files for its owner alone', async () => {
    const mask = process.umask(0);
    try {
      const [own, made] = [bench.dir, join(bench.dir, 'new', 'store')];
      bench.dir = made;
      await (await bench.reopen()).append('a', ANY, [proposed(0)]);
      await bench.closeLikeKilled();
      await writeFile(await bench.lastFile(), 'rubbish', { flag: 'a' });
      await bench.reopen({ segmentLength: 100 });
      await bench.store?.append('a', ANY, [proposed(1)]);
      const names = await readdir(made);
      expect(names).toEqual(expect.arrayContaining(['lock', expect.stringMatching(/^torn-tail-/)]));
      const modeOf = async (path: string): Promise<number> => (await stat(path)).mode & 0o777;
      for (const path of [made, join(own, 'new')]) expect([path, await modeOf(path)]).toEqual([path, 0o700]);
      for (const name of names) expect([name, await modeOf(join(made, name))]).toEqual([name, 0o600]);
      await bench.close();
      bench.dir = own;
    } finally {
      process.umask(mask);
    }
  });

  it('finds any event of a long stream among others', async () => {
    const open = await bench.reopen({ fsync: false });
    for (const first of range(20).map((block) => block * 50)) {
      await open.append(
        'long',
        ANY,
        range(50).map((n) => proposed(first + n)),
      );
      await open.append('other', ANY, [proposed(first)]);
    }
    const number = open.index.streamNumber('long')!;
    for (const revision of [0, 1, 63, 64, 65, 127, 128, 500, 998, 999]) {
      expect(open.index.revisionOf(open.index.ordinalOf(number, revision))).toBe(revision);
    }
    expect(await numbersOf(open, 'long')).toEqual(range(1000));
  });
});

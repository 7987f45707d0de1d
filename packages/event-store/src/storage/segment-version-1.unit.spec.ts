/** A log of segment version 1, written by commit 8a4b4dc: see test/fixtures/README.md. */
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { cpSync, readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { flipByte, numbersOf, proposed, range, StoreBench } from '../../test/support/store-bench.js';
import { LogSnapshot } from '../snapshot.js';
import { CorruptLogError, NewerLogError } from '../errors.js';
import { ANY } from './expected-revision.js';
import { segmentHeader, segmentPath } from './segment.js';
import type { Store } from './store.js';

const fixture = fileURLToPath(new URL('../../test/fixtures/version-1', import.meta.url));
const MARK_LENGTH = 28;

let bench: StoreBench;

beforeEach(async () => {
  bench = await StoreBench.open();
  cpSync(fixture, bench.dir, { recursive: true });
});

afterEach(() => bench.remove());

async function expectAllOf(store: Store): Promise<void> {
  expect(store.index.count).toBe(24);
  expect(await numbersOf(store, 'single')).toEqual(range(13));
  expect(await numbersOf(store, 'several')).toEqual([2, 3, 4]);
  expect(await numbersOf(store, 'gone')).toEqual([]);
  expect(await store.append('closed', ANY, [proposed(0)])).toEqual({ kind: 'deleted' });
}

/** Without the end mark, as after a kill. */
async function killed(): Promise<string> {
  const file = await bench.lastFile();
  truncateSync(file, statSync(file).size - MARK_LENGTH);
  return file;
}

describe('a log of segment version 1', () => {
  it.each([['closed cleanly'], ['killed']])(
    '%s, is read whole in place, and continued in version 2',
    async (how) => {
      if (how === 'killed') await killed();
      const first = await bench.lastFile();
      const size = statSync(first).size - (how === 'killed' ? 0 : MARK_LENGTH);
      const store = await bench.reopen();
      await expectAllOf(store);
      // Position of the frame's first record: after both headers.
      expect(store.index.positionOf(0)).toBe(32 + MARK_LENGTH);
      await store.append('single', 12, [proposed(13)]);
      expect(statSync(first).size).toBe(size);
      const newest = await bench.lastFile();
      expect(readFileSync(newest).readUInt32LE(8)).toBe(2);
      const again = await bench.reopen();
      expect(await numbersOf(again, 'single')).toEqual(range(14));
      const head = again.index.positionOf(again.index.count - 1);
      const snapshot = await LogSnapshot.of(bench.dir, head);
      for (const segment of snapshot.segments()) for await (const _ of segment.bytes());
      expect(snapshot.head.position).toBe(head);
    },
  );

  it('does not open with damaged acknowledged events, and nothing is truncated', async () => {
    const file = await bench.lastFile();
    await flipByte(file, 200);
    const before = readFileSync(file);
    await expect(bench.reopen()).rejects.toThrow(CorruptLogError);
    expect(readFileSync(file)).toEqual(before);
  });

  it('loses a torn tail, and logs that it may hold acknowledged events', async () => {
    const file = await killed();
    truncateSync(file, statSync(file).size - 5);
    const store = await bench.reopen();
    expect(store.index.count).toBe(23);
    expect(bench.logged.map(({ message }) => message)).toContainEqual(
      expect.stringContaining('acknowledged events may have been'),
    );
  });
});

describe('a log of an unknown version', () => {
  it.each([
    ['with frames', 100],
    ['without any', 32],
    ['with a header that is not whole', 12],
  ])('is refused by name, %s, and nothing is changed', async (_, length) => {
    const file = await bench.lastFile();
    const base = statSync(file).size + Number(/(\d+)\.log$/.exec(file)![1]);
    const header = segmentHeader(base);
    header.writeUInt32LE(3, 8);
    const path = segmentPath(bench.dir, base);
    writeFileSync(path, Buffer.concat([header, Buffer.alloc(100, 7)]).subarray(0, length));
    const names = readdirSync(bench.dir).filter((name) => name.endsWith('.log'));
    const before = names.map((name) => readFileSync(join(bench.dir, name)));
    const opening = bench.reopen();
    await expect(opening).rejects.toThrow(NewerLogError);
    await expect(opening).rejects.toThrow(/written by a newer version of Plaza/);
    expect(names.map((name) => readFileSync(join(bench.dir, name)))).toEqual(before);
  });
});

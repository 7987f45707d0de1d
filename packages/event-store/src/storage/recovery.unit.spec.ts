import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { flipByte, numbersOf, proposed, range, StoreBench } from '../../test/support/store-bench.js';
import { CorruptLogError } from '../errors.js';
import { ANY } from './expected-revision.js';
import { segmentHeader, segmentPath } from './segment.js';

let bench: StoreBench;

beforeEach(async () => {
  bench = await StoreBench.open();
});

afterEach(() => bench.remove());

describe('the store after an interrupted write', () => {
  it.each([1, 10, 27, 28, 100])(
    'truncates, saves and logs the torn tail: %i bytes missing',
    async (missing) => {
      const open = await bench.reopen();
      await open.append('a', ANY, [proposed(0)]);
      await open.append('a', ANY, [proposed(1), proposed(2)]);
      await bench.closeLikeKilled();
      const file = await bench.lastFile();
      await truncate(file, (await stat(file)).size - missing);

      const after = await bench.reopen();
      expect(await numbersOf(after, 'a')).toEqual([0]);
      const warning = bench.logged.find(({ level }) => level === 'warn')!;
      expect(warning.message).toContain('torn tail');
      expect(warning.fields['bytes']).toBe((await stat(String(warning.fields['savedAs']))).size);
      await after.append('a', 0, [proposed(9)]);
      expect(await numbersOf(await bench.reopen(), 'a')).toEqual([0, 9]);
    },
  );

  it('truncates a tail of random bytes', async () => {
    await (await bench.reopen()).append('a', ANY, [proposed(0)]);
    await bench.closeLikeKilled();
    await writeFile(await bench.lastFile(), Buffer.alloc(5000, 0), { flag: 'a' });
    expect(await numbersOf(await bench.reopen(), 'a')).toEqual([0]);
  });

  it('truncates a batch of which only later parts reached the disk', async () => {
    const open = await bench.reopen();
    await open.append('a', ANY, [proposed(0)]);
    const start = (await stat(await bench.lastFile())).size;
    // one batch, so none was durable before the others
    await Promise.all([1, 2, 3].map(async (n) => open.append('a', ANY, [proposed(n)])));
    await bench.closeLikeKilled();
    await flipByte(await bench.lastFile(), start + 40);
    expect(await numbersOf(await bench.reopen(), 'a')).toEqual([0]);
    expect(bench.logged.some(({ message }) => message.includes('torn tail'))).toBe(true);
  });

  it('saves the tails of several interrupted writes at one position', async () => {
    await (await bench.reopen()).append('a', ANY, [proposed(0)]);
    for (const rubbish of ['first', 'second', 'third']) {
      await bench.closeLikeKilled();
      await writeFile(await bench.lastFile(), rubbish, { flag: 'a' });
      await bench.reopen();
    }
    const saved = bench.logged.filter(({ level }) => level === 'warn').map(({ fields }) => fields['savedAs']);
    const tails = await Promise.all(saved.map(async (file) => readFile(String(file), 'utf8')));
    expect(tails).toEqual(['first', 'second', 'third']);
  });

  it.each([0, 5, 17, 18, 31, 32])(
    'recreates a segment whose creation was interrupted after %i bytes',
    async (length) => {
      await (await bench.reopen()).append('a', ANY, [proposed(0)]);
      await bench.closeLikeKilled();
      const { size } = await stat(await bench.lastFile());
      await writeFile(segmentPath(bench.dir, size), segmentHeader(size).subarray(0, length));
      const after = await bench.reopen();
      expect(bench.logged.at(-1)).toMatchObject({
        level: 'warn',
        message: expect.stringContaining('removed the last file of the event log'),
        fields: { bytes: length },
      });
      await after.append('a', 0, [proposed(1)]);
      expect(await numbersOf(await bench.reopen(), 'a')).toEqual([0, 1]);
    },
  );

  it.each([0, 5, 17, 18, 31])('recreates a first segment of %i bytes', async (length) => {
    await writeFile(segmentPath(bench.dir, 0), segmentHeader(0).subarray(0, length));
    await (await bench.reopen()).append('a', ANY, [proposed(0)]);
    expect(await numbersOf(await bench.reopen(), 'a')).toEqual([0]);
  });
});

describe('the store on a corrupt log', () => {
  /** Returns the error message of opening, and asserts that opening changes nothing in the directory. */
  async function corruption(): Promise<string> {
    const files = await bench.logFiles();
    const contents = await Promise.all(files.map(async (name) => readFile(join(bench.dir, name))));
    const error: unknown = await bench.reopen().catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(CorruptLogError);
    const after = await Promise.all(
      (await bench.logFiles()).map(async (name) => readFile(join(bench.dir, name))),
    );
    expect(after).toEqual(contents);
    return (error as Error).message;
  }

  it('does not start when an event in the middle is damaged', async () => {
    const open = await bench.reopen();
    for (const n of range(5)) await open.append('a', ANY, [proposed(n)]);
    await bench.closeLikeKilled();
    await flipByte(await bench.lastFile(), 300);
    expect(await corruption()).toMatch(/corrupt.*restore/s);
  });

  it('does not start when the last event was damaged after a clean close', async () => {
    await (await bench.reopen()).append('a', ANY, [proposed(0)]);
    await bench.close();
    await flipByte(await bench.lastFile(), 100);
    expect(await corruption()).toMatch(/acknowledged events damaged or cut off/);
  });

  it('does not start when a segment is missing, truncated or damaged in its header', async () => {
    const open = await bench.reopen({ segmentLength: 1000 });
    for (const n of range(5)) await open.append('a', ANY, [proposed(n, 2000)]);
    await bench.close();
    const [first, second] = (await bench.logFiles()).map((name) => join(bench.dir, name));
    const whole = await readFile(second!);
    await rm(second!);
    expect(await corruption()).toMatch(/missing/);
    await writeFile(second!, whole.subarray(0, -5));
    expect(await corruption()).toMatch(/cut off|missing/);
    await writeFile(second!, whole);
    await flipByte(second!, 3);
    expect(await corruption()).toMatch(/header/);
    await writeFile(second!, whole);
    await flipByte(first!, 500);
    expect(await corruption()).toMatch(/acknowledged/);
  });

  it('releases the lock', async () => {
    const open = await bench.reopen();
    for (const n of range(3)) await open.append('a', ANY, [proposed(n)]);
    await bench.closeLikeKilled();
    await flipByte(await bench.lastFile(), 200);
    expect(await corruption()).toMatch(/corrupt/);
    await flipByte(await bench.lastFile(), 200);
    expect(await numbersOf(await bench.reopen(), 'a')).toEqual([0, 1, 2]);
  });
});

/** Damage to acknowledged events: which damage is detected, and that none is served. */
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { fstatSync, readdirSync, readFileSync, statSync, truncateSync } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { until } from '../../testing/until.js';
import { flipByte, numbersOf, proposed, range, StoreBench } from '../../test/support/store-bench.js';
import { CorruptLogError, DamagedEventError, DiskFullError } from '../errors.js';
import { ANY, NO_STREAM } from './expected-revision.js';
import { FRAME_HEADER_LENGTH } from './frame.js';

let bench: StoreBench;

beforeEach(async () => {
  bench = await StoreBench.open();
});

afterEach(async () => {
  jest.restoreAllMocks();
  await bench.remove();
});

const warnings = () => bench.logged.filter(({ level }) => level === 'warn');

describe('a torn tail', () => {
  it('of whole damaged frames may hold acknowledged events: it is saved, and logged as such', async () => {
    const store = await bench.reopen();
    await store.append('a', ANY, [proposed(0)]);
    await Promise.all(range(10).map((n) => store.append('b', ANY, [proposed(n)])));
    await bench.closeLikeKilled();
    const file = await bench.lastFile();
    const { size } = statSync(file);
    const position = store.index.positionOf(1) - FRAME_HEADER_LENGTH;
    await flipByte(file, position + 60);
    expect(await numbersOf(await bench.reopen(), 'a')).toEqual([0]);
    const { message, fields } = warnings()[0]!;
    expect(message).toContain('acknowledged events may have been');
    expect(message).not.toContain('nothing acknowledged is lost');
    expect(fields).toMatchObject({ position, end: size, bytes: size - position, mayBeAcknowledged: true });
    expect(readFileSync(String(fields['savedAs'])).length).toBe(size - position);
  });

  it('that extends beyond the end of the file was not acknowledged', async () => {
    const store = await bench.reopen();
    for (const n of [0, 1]) await store.append('a', ANY, [proposed(n)]);
    await bench.closeLikeKilled();
    const file = await bench.lastFile();
    truncateSync(file, statSync(file).size - 5);
    expect(await numbersOf(await bench.reopen(), 'a')).toEqual([0]);
    expect(warnings()[0]?.message).toContain('nothing acknowledged is lost');
  });

  it('with a damaged header proves nothing', async () => {
    const store = await bench.reopen();
    for (const n of [0, 1]) await store.append('a', ANY, [proposed(n)]);
    const length = store.index.positionOf(1) - FRAME_HEADER_LENGTH + 4;
    await bench.closeLikeKilled();
    await flipByte(await bench.lastFile(), length);
    await bench.reopen();
    expect(warnings()[0]?.fields['mayBeAcknowledged']).toBe(true);
  });

  it('is impossible soon after the last append: an idle store writes an end mark', async () => {
    const store = await bench.reopen();
    await store.append('a', ANY, [proposed(0)]);
    const file = await bench.lastFile();
    const { size } = statSync(file);
    await until(() => statSync(file).size === size + FRAME_HEADER_LENGTH);
    const log = readFileSync(file);
    await bench.close();
    expect(readFileSync(file)).toEqual(log);
    await flipByte(file, size - 10);
    await expect(bench.reopen()).rejects.toThrow(CorruptLogError);
  });

  it('does not prevent a start on a full disk: it stays in the log until the disk has space', async () => {
    const store = await bench.reopen();
    await store.append('a', ANY, [proposed(0)]);
    await store.append('a', ANY, [proposed(1, 500)]);
    await bench.closeLikeKilled();
    const file = await bench.lastFile();
    await flipByte(file, statSync(file).size - 20);
    const before = readFileSync(file);
    const handle = await open(bench.dir);
    const handles = Object.getPrototypeOf(handle) as FileHandle;
    await handle.close();
    let isFull = true;
    for (const method of ['write', 'writev'] as const) {
      const original = handles[method] as (...args: unknown[]) => Promise<unknown>;
      const limited = async function (this: FileHandle, ...args: unknown[]) {
        // Existing bytes of the file can be rewritten.
        const isLog = fstatSync(this.fd).ino === statSync(file).ino;
        const isKnown = isLog && method === 'write' && Number(args[3]) + Number(args[2]) <= before.length;
        if (isFull && !isKnown) throw Object.assign(new Error('ENOSPC: no space left'), { code: 'ENOSPC' });
        return original.apply(this, args);
      };
      jest.spyOn(handles, method).mockImplementation(limited as never);
    }
    const full = await bench.reopen();
    expect(await numbersOf(full, 'a')).toEqual([0]);
    expect(readFileSync(file)).toEqual(before);
    expect(warnings()[0]?.message).toContain('the disk is full: free disk space');
    await expect(full.append('b', 5, [proposed(0)])).rejects.toThrow(DiskFullError);
    await expect(full.append('a', 0, [proposed(2)])).rejects.toThrow(DiskFullError);
    expect(readFileSync(file)).toEqual(before);
    isFull = false;
    await until(async () => {
      const answer = await full.append('b', 5, [proposed(0)]).catch(() => undefined);
      return answer?.kind === 'wrong-expected-revision';
    });
    expect(readdirSync(bench.dir)).toContainEqual(expect.stringMatching(/^torn-tail-/));
    await full.append('a', 0, [proposed(2)]);
    expect(await numbersOf(await bench.reopen(), 'a')).toEqual([0, 2]);
  });
});

describe('an event that is damaged while the store runs', () => {
  it.each([
    ['in its text', 60],
    ['in its length', 0],
    ['in its checksum', 5],
  ])('%s, is never served; the others are, and the store counts as broken', async (_, offset) => {
    const broken: Error[] = [];
    const store = await bench.reopen({ onBroken: (error) => broken.push(error) });
    for (const n of range(3)) await store.append('a', n - 1, [proposed(n)]);
    const position = store.index.positionOf(1);
    await flipByte(await bench.lastFile(), position + offset);
    const reading = store.records.read([0, 1, 2]);
    await expect(reading).rejects.toThrow(DamagedEventError);
    await expect(reading).rejects.toThrow(`position ${position} is damaged`);
    expect(await store.records.read([0])).toHaveLength(1);
    expect(await store.records.read([2])).toHaveLength(1);
    expect(broken).toHaveLength(1);
    expect(bench.logged.find(({ level }) => level === 'error')?.fields['position']).toBe(position);
    await expect(store.append('b', NO_STREAM, [proposed(0)])).rejects.toThrow(/stopped writing/);
    await expect(bench.reopen()).rejects.toThrow(CorruptLogError);
  });
});

describe('a file that is truncated while the store runs', () => {
  it('accepts no further event, which no reader would find after the gap', async () => {
    const broken: Error[] = [];
    const store = await bench.reopen({ onBroken: (error) => broken.push(error) });
    for (const n of range(3)) await store.append('a', n - 1, [proposed(n)]);
    const file = await bench.lastFile();
    truncateSync(file, statSync(file).size - 5);
    await expect(store.append('a', 2, [proposed(3)])).rejects.toThrow(/another program has changed it/);
    expect(broken).toHaveLength(1);
    expect(await numbersOf(await bench.reopen(), 'a')).toEqual([0, 1]);
  });

  it('counts as damaged when its events are read', async () => {
    const broken: Error[] = [];
    const store = await bench.reopen({ onBroken: (error) => broken.push(error) });
    for (const n of range(3)) await store.append('a', n - 1, [proposed(n)]);
    const file = await bench.lastFile();
    truncateSync(file, statSync(file).size - 5);
    await expect(store.records.read([2])).rejects.toThrow(DamagedEventError);
    expect(() => store.records.readSync(2)).toThrow(DamagedEventError);
    expect(broken).toHaveLength(1);
  });
});

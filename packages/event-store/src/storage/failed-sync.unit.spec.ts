/**
 * After a failed fsync the page cache shows more than the disk has. A test cannot empty that cache, so these check
 * which bytes are written and synced, and in which order.
 */
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { fstatSync, readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { until } from '../../testing/until.js';
import { numbersOf, proposed, StoreBench } from '../../test/support/store-bench.js';
import { StoreUnavailableError } from '../errors.js';
import { NO_STREAM } from './expected-revision.js';
import { FRAME_HEADER_LENGTH } from './frame.js';
import { SEGMENT_HEADER_LENGTH } from './segment.js';

const SYNCS = ['sync', 'datasync'] as const;
type Method = (typeof SYNCS)[number] | 'truncate' | 'write' | 'writev';

let bench: StoreBench;
let handles: FileHandle;

beforeEach(async () => {
  bench = await StoreBench.open();
  const handle = await open(bench.dir);
  handles = Object.getPrototypeOf(handle) as FileHandle;
  await handle.close();
});

afterEach(async () => {
  jest.restoreAllMocks();
  await bench.remove();
});

const fault = (code: string): Error => Object.assign(new Error(`${code}: it happened`), { code });
const copyName = (position: number): string => `log-end-${String(position).padStart(16, '0')}.bin`;

/** A file of the directory; `.` is the directory itself. */
function nameOf({ fd }: FileHandle): string {
  const { ino } = fstatSync(fd);
  if (statSync(bench.dir).ino === ino) return '.';
  const name = readdirSync(bench.dir).find((each) => statSync(join(bench.dir, each)).ino === ino);
  return name?.replace(/^\d+\.log$/, 'log') ?? 'removed';
}

/**
 * Records writes, truncations and syncs in order: `write log 32+100`, `cut log 32`, `sync log`. An operation for
 * which `refuse` returns an error fails with it.
 */
function watchDisk(refuse: (operation: string) => Error | undefined = () => undefined): string[] {
  const operations: string[] = [];
  const note = (operation: string): void => {
    operations.push(operation);
    const error = refuse(operation);
    if (error) throw error;
  };
  const watch = (method: Method, describe: (args: unknown[]) => string): void => {
    const original = handles[method] as (...args: unknown[]) => Promise<unknown>;
    const watched = async function (this: FileHandle, ...args: unknown[]) {
      note(describe(args).replace('FILE', nameOf(this)));
      return original.apply(this, args);
    };
    jest.spyOn(handles, method).mockImplementation(watched as never);
  };
  for (const method of SYNCS) watch(method, () => 'sync FILE');
  watch('truncate', ([length]) => `cut FILE ${String(length)}`);
  watch('write', ([, , length, at]) => `write FILE ${String(at)}+${String(length)}`);
  watch('writev', ([buffers, at]) => `write FILE ${String(at)}+${Buffer.concat(buffers as Buffer[]).length}`);
  return operations;
}

/**
 * Leaves a store whose second append was written, whose fsync failed, and that stopped then. Returns that append's
 * position.
 */
async function failedSync(second = proposed(1)): Promise<number> {
  const store = await bench.reopen();
  await store.append('a', NO_STREAM, [proposed(0)]);
  const { size } = statSync(await bench.lastFile());
  const failing = jest.spyOn(handles, 'datasync').mockRejectedValueOnce(fault('EIO'));
  await expect(store.append('a', 0, [second])).rejects.toThrow(StoreUnavailableError);
  failing.mockRestore();
  await bench.close();
  return size;
}

describe('a start after an fsync that failed', () => {
  it('copies unproven bytes, rewrites them, syncs both, writes an end mark, and serves only then', async () => {
    const from = await failedSync();
    const file = await bench.lastFile();
    const before = readFileSync(file);
    const operations = watchDisk();
    const store = await bench.reopen();
    const [copy, length] = [copyName(from), before.length - from];
    expect(operations).toEqual([
      `write ${copy} 0+${length}`,
      `sync ${copy}`,
      'sync .',
      `cut log ${from}`,
      'sync log',
      `write log ${from}+${length}`,
      'sync log',
      'sync .',
      'sync .',
      `write log ${before.length}+${FRAME_HEADER_LENGTH}`,
      'sync log',
    ]);
    expect(readdirSync(bench.dir)).not.toContain(copy);
    expect(await numbersOf(store, 'a')).toEqual([0, 1]);
    expect(readFileSync(file).subarray(0, before.length)).toEqual(before);
  });

  it('replaces an end mark, whose own fsync may have failed', async () => {
    await failedSync();
    await (await bench.reopen()).close();
    const mark = statSync(await bench.lastFile()).size - FRAME_HEADER_LENGTH;
    const operations = watchDisk();
    await bench.reopen();
    expect(operations).toEqual([
      `cut log ${mark}`,
      'sync log',
      'sync .',
      `write log ${mark}+${FRAME_HEADER_LENGTH}`,
      'sync log',
    ]);
  });

  it.each([1, 2, 3, 4, 5, 6])('serves nothing while the disk fails: sync %i', async (nth) => {
    const repeated = proposed(1);
    await failedSync(repeated);
    let syncs = 0;
    watchDisk((operation) => (operation.startsWith('sync') && ++syncs >= nth ? fault('EIO') : undefined));
    await expect(bench.reopen()).rejects.toThrow(/EIO|fsync/);
    jest.restoreAllMocks();
    const store = await bench.reopen();
    expect(await store.append('a', 0, [repeated])).toMatchObject({ kind: 'appended', revision: 1 });
    expect(await numbersOf(store, 'a')).toEqual([0, 1]);
    expect(readdirSync(bench.dir).filter((name) => name.startsWith('log-end'))).toEqual([]);
  });

  it('starts on a full disk, without space for the copy', async () => {
    const from = await failedSync();
    const { size } = statSync(await bench.lastFile());
    const operations = watchDisk((operation) =>
      operation.startsWith(`write ${copyName(from)}`) ? fault('ENOSPC') : undefined,
    );
    const store = await bench.reopen();
    expect(operations).toContain(`write log ${from}+${size - from}`);
    expect(await numbersOf(store, 'a')).toEqual([0, 1]);
  });
});

describe('an append that expects a revision that no stream has', () => {
  const impossible = 2 ** 53 - 1;

  it('is refused, and the probe changes nothing on disk', async () => {
    const store = await bench.reopen();
    await store.append('a', NO_STREAM, [proposed(0)]);
    await store.append('b', impossible, [proposed(1)]);
    const before = readFileSync(await bench.lastFile());
    const names = readdirSync(bench.dir);
    const operations = watchDisk();
    const check = async () => {
      expect(await store.append('b', impossible, [proposed(1)])).toEqual({
        kind: 'wrong-expected-revision',
        current: -1,
      });
      return operations.includes('sync log');
    };
    await until(check);
    const after = readFileSync(await bench.lastFile());
    expect(after.subarray(0, before.length)).toEqual(before);
    expect(store.index.streamNumber('b')).toBeUndefined();
    expect(readdirSync(bench.dir)).toEqual(names);
  });

  it('detects a disk that broke while idle, which ends the store', async () => {
    const broken: Error[] = [];
    const store = await bench.reopen({ onBroken: (error) => broken.push(error) });
    watchDisk((operation) => (operation === 'sync log' ? fault('EIO') : undefined));
    const check = () => store.append('b', impossible, [proposed(1)]).catch((error: unknown) => error);
    await until(async () => (await check()) instanceof StoreUnavailableError);
    expect(broken.map(({ message }) => message)).toEqual([expect.stringContaining('stopped writing')]);
  });
});

describe('a start after one that was killed while it rewrote the end of the log', () => {
  /** Two appends in one batch: the first frame proves nothing, so the whole segment is rewritten. */
  async function killed(): Promise<{ file: string; log: Buffer; from: number; copy: string }> {
    const store = await bench.reopen();
    await Promise.all([store.append('a', -1, [proposed(0)]), store.append('b', -1, [proposed(1)])]);
    await bench.closeLikeKilled();
    const file = await bench.lastFile();
    const from = SEGMENT_HEADER_LENGTH;
    return { file, log: readFileSync(file), from, copy: join(bench.dir, copyName(from)) };
  }

  it.each<[string, (found: Awaited<ReturnType<typeof killed>>) => void]>([
    ['before the copy was whole', ({ copy, log, from }) => writeFileSync(copy, log.subarray(from, -5))],
    ['before it had anything', ({ copy }) => writeFileSync(copy, '')],
    ['when the log was not cut', ({ copy, log, from }) => writeFileSync(copy, log.subarray(from))],
    [
      'when the log was cut',
      ({ copy, log, from, file }) => {
        writeFileSync(copy, log.subarray(from));
        truncateSync(file, from);
      },
    ],
    [
      'when the log was half written',
      ({ copy, log, from, file }) => {
        writeFileSync(copy, log.subarray(from));
        writeFileSync(file, Buffer.concat([log.subarray(0, -50), Buffer.alloc(40)]));
      },
    ],
  ])('has everything: %s', async (_, leave) => {
    const found = await killed();
    leave(found);
    const store = await bench.reopen();
    expect([await numbersOf(store, 'a'), await numbersOf(store, 'b')]).toEqual([[0], [1]]);
    expect(readdirSync(bench.dir)).not.toContain(copyName(found.from));
    expect(bench.logged.filter(({ level }) => level !== 'info')).toEqual([]);
  });

  it('never rolls the log back to an older copy', async () => {
    const { copy, log, from } = await killed();
    await (await bench.reopen()).append('a', 0, [proposed(2)]);
    await bench.closeLikeKilled();
    writeFileSync(copy, log.subarray(from));
    expect(await numbersOf(await bench.reopen(), 'a')).toEqual([0, 2]);
    expect(readdirSync(bench.dir)).not.toContain(copyName(from));
  });
});

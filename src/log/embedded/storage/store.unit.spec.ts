import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { mkdtemp, open, readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  AppendTooLargeError,
  CorruptLogError,
  DirectoryLockedError,
  StoreUnavailableError,
} from '../errors.js';
import { StreamForwards } from '../reading/stream-events.js';
import { ANY, NO_STREAM } from './expected-revision.js';
import { RecordView } from './record.js';
import { openStore, type ProposedEvent, type Store, type StoreOptions } from './store.js';

let dir: string;
let store: Store | undefined;
let logged: { level: string; message: string; fields: Record<string, unknown> }[];

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'plaza-store-'));
  logged = [];
});

afterEach(async () => {
  await store?.close();
  store = undefined;
  await rm(dir, { recursive: true });
});

async function reopen(options: Partial<StoreOptions> = {}): Promise<Store> {
  await store?.close();
  store = await openStore({
    dir,
    log: (level, message, fields) => logged.push({ level, message, fields }),
    now: () => new Date(),
    newId: randomUUID,
    ...options,
  });
  return store;
}

function proposed(n: number, bytes = 0): ProposedEvent {
  const data = Buffer.from(JSON.stringify({ n, filling: 'x'.repeat(bytes) }));
  return { id: randomUUID(), type: 'tested', isJson: true, data, metadata: Buffer.alloc(0) };
}

async function numbersOf(from: Store, stream: string): Promise<number[]> {
  const selection = new StreamForwards(from.index, stream, 0, () => from.now());
  const numbers: number[] = [];
  for (let atEnd = false; !atEnd;) {
    const page = selection.next(Infinity);
    atEnd = page.atEnd;
    for (const record of await from.records.read(page.ordinals)) {
      numbers.push((JSON.parse(new RecordView().at(record, 0).data.toString()) as { n: number }).n);
    }
  }
  return numbers;
}

const range = (count: number): number[] => Array.from({ length: count }, (_, i) => i);
const logFiles = async (): Promise<string[]> =>
  (await readdir(dir)).filter((name) => name.endsWith('.log')).sort();
const lastFile = async (): Promise<string> => join(dir, (await logFiles()).at(-1)!);

/** As a killed process leaves the directory: without the mark of a clean close. */
async function closeLikeKilled(): Promise<void> {
  const file = await lastFile();
  await store?.close();
  store = undefined;
  await truncate(file, (await stat(file)).size - 28);
}

async function flipByte(file: string, offset: number): Promise<void> {
  const handle = await open(file, 'r+');
  const byte = Buffer.alloc(1);
  await handle.read(byte, 0, 1, offset);
  await handle.write(Buffer.of(byte[0]! ^ 0xff), 0, 1, offset);
  await handle.close();
}

describe('the store', () => {
  it('has after a restart what it had before: events, revisions, deletions, metadata, positions', async () => {
    const before = await reopen();
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

    const after = await reopen();
    expect(range(after.index.count).map((ordinal) => after.index.positionOf(ordinal))).toEqual(positions);
    expect(await numbersOf(after, 'a')).toEqual([198, 199]);
    expect(await numbersOf(after, 'b')).toEqual([0]);
    expect(await numbersOf(after, 'gone')).toEqual([]);
    expect(await after.append('closed', ANY, [proposed(1)])).toEqual({ kind: 'deleted' });
    expect(await after.append('a', 199, [proposed(200)])).toMatchObject({ kind: 'appended', revision: 200 });
  });

  it('recognizes a repeated append after a restart', async () => {
    const batch = [proposed(0), proposed(1)];
    const first = await (await reopen()).append('a', ANY, batch);
    const after = await reopen();
    expect(await after.append('a', ANY, batch)).toEqual(first);
    expect(await after.append('a', NO_STREAM, batch)).toEqual(first);
    expect(await numbersOf(after, 'a')).toEqual([0, 1]);
  });

  it('shows an append to readers only when it is durable', async () => {
    const open = await reopen();
    const appended = open.append('a', ANY, [proposed(0)]);
    expect(open.index.count).toBe(0);
    await appended;
    expect(open.index.count).toBe(1);
  });

  it('refuses an append for the sake of another one only when that can be read', async () => {
    const opened = await reopen();
    const winning = opened.append('s', NO_STREAM, [proposed(1)]);
    const losing = opened.append('s', NO_STREAM, [proposed(2)]);
    expect(await losing).toEqual({ kind: 'wrong-expected-revision', current: 0 });
    expect(await numbersOf(opened, 's')).toEqual([1]);
    expect(await winning).toMatchObject({ kind: 'appended', revision: 0 });
  });

  it('goes on in another segment when one is full, and finds its way through all of them', async () => {
    const segmentLength = 20_000;
    const before = await reopen({ segmentLength });
    await Promise.all(range(100).map(async (n) => before.append('a', n - 1, [proposed(n, 500)])));
    expect((await logFiles()).length).toBeGreaterThan(3);
    expect(await numbersOf(before, 'a')).toEqual(range(100));
    const after = await reopen({ segmentLength });
    expect(await numbersOf(after, 'a')).toEqual(range(100));
    await after.append('a', 99, [proposed(100)]);
    expect(await numbersOf(after, 'a')).toEqual(range(101));
  });

  it('takes an append that is larger than a segment', async () => {
    const small = await reopen({ segmentLength: 1000 });
    for (const n of range(3)) await small.append('a', ANY, [proposed(n, 5000)]);
    expect(await numbersOf(await reopen({ segmentLength: 1000 }), 'a')).toEqual([0, 1, 2]);
  });

  it('refuses an append that is larger than recovery accepts, and goes on', async () => {
    const open = await reopen({ fsync: false });
    await open.append('a', ANY, [proposed(0)]);
    const many = range(70).map((n) => proposed(n));
    await expect(open.append('x'.repeat(1024 * 1024), ANY, many)).rejects.toThrow(AppendTooLargeError);
    await open.append('a', 0, [proposed(1)]);
    await closeLikeKilled();
    expect(await numbersOf(await reopen(), 'a')).toEqual([0, 1]);
    expect(logged.some(({ level }) => level === 'warn')).toBe(false);
  });

  it('is open once at a time', async () => {
    const options = { dir, log: () => undefined, now: () => new Date(), newId: randomUUID };
    await reopen();
    await expect(openStore(options)).rejects.toThrow(DirectoryLockedError);
  });

  it('refuses appends once it is closing, and keeps those it took', async () => {
    const open = await reopen();
    const taken = open.append('a', ANY, [proposed(0)]);
    const closing = open.close();
    await expect(open.append('a', ANY, [proposed(1)])).rejects.toThrow(StoreUnavailableError);
    await taken;
    await closing;
    expect(await numbersOf(await reopen(), 'a')).toEqual([0]);
  });

  describe('after an interrupted write', () => {
    it.each([1, 10, 27, 28, 100])(
      'cuts the torn tail off, saves it and says so: %i bytes missing',
      async (missing) => {
        const open = await reopen();
        await open.append('a', ANY, [proposed(0)]);
        await open.append('a', ANY, [proposed(1), proposed(2)]);
        await closeLikeKilled();
        const file = await lastFile();
        await truncate(file, (await stat(file)).size - missing);

        const after = await reopen();
        expect(await numbersOf(after, 'a')).toEqual([0]);
        const warning = logged.find(({ level }) => level === 'warn')!;
        expect(warning.message).toContain('torn tail');
        expect(warning.fields['bytes']).toBe((await stat(String(warning.fields['savedAs']))).size);
        await after.append('a', 0, [proposed(9)]);
        expect(await numbersOf(await reopen(), 'a')).toEqual([0, 9]);
      },
    );

    it('cuts a tail of rubbish off', async () => {
      await (await reopen()).append('a', ANY, [proposed(0)]);
      await closeLikeKilled();
      await writeFile(await lastFile(), Buffer.alloc(5000, 0), { flag: 'a' });
      expect(await numbersOf(await reopen(), 'a')).toEqual([0]);
    });

    it('cuts off a batch of which only later parts reached the disk', async () => {
      const open = await reopen();
      await open.append('a', ANY, [proposed(0)]);
      const start = (await stat(await lastFile())).size;
      // written by one batch, none of them durable before the others
      await Promise.all([1, 2, 3].map(async (n) => open.append('a', ANY, [proposed(n)])));
      await closeLikeKilled();
      await flipByte(await lastFile(), start + 40);
      expect(await numbersOf(await reopen(), 'a')).toEqual([0]);
      expect(logged.some(({ message }) => message.includes('torn tail'))).toBe(true);
    });

    it('keeps the tails of several interrupted writes at one position', async () => {
      await (await reopen()).append('a', ANY, [proposed(0)]);
      for (const rubbish of ['first', 'second', 'third']) {
        await closeLikeKilled();
        await writeFile(await lastFile(), rubbish, { flag: 'a' });
        await reopen();
      }
      const saved = logged.filter(({ level }) => level === 'warn').map(({ fields }) => fields['savedAs']);
      const tails = await Promise.all(saved.map(async (file) => readFile(String(file), 'utf8')));
      expect(tails).toEqual(['first', 'second', 'third']);
    });

    it('begins a segment anew whose creation was interrupted', async () => {
      await (await reopen()).append('a', ANY, [proposed(0)]);
      await closeLikeKilled();
      const { size } = await stat(await lastFile());
      await writeFile(join(dir, `${String(size).padStart(16, '0')}.log`), 'Plaza');
      const after = await reopen();
      await after.append('a', 0, [proposed(1)]);
      expect(await numbersOf(await reopen(), 'a')).toEqual([0, 1]);
    });
  });

  describe('on a corrupt log', () => {
    /** The message with which opening fails; nothing in the directory may have changed by it. */
    async function corruption(): Promise<string> {
      const files = await logFiles();
      const contents = await Promise.all(files.map(async (name) => readFile(join(dir, name))));
      const error: unknown = await reopen().catch((caught: unknown) => caught);
      expect(error).toBeInstanceOf(CorruptLogError);
      const after = await Promise.all((await logFiles()).map(async (name) => readFile(join(dir, name))));
      expect(after).toEqual(contents);
      return (error as Error).message;
    }

    it('does not start when an event in the middle is damaged', async () => {
      const open = await reopen();
      for (const n of range(5)) await open.append('a', ANY, [proposed(n)]);
      await closeLikeKilled();
      await flipByte(await lastFile(), 300);
      expect(await corruption()).toMatch(/corrupt.*restore/s);
    });

    it('does not start when the last event was damaged after a clean close', async () => {
      await (await reopen()).append('a', ANY, [proposed(0)]);
      await store?.close();
      store = undefined;
      await flipByte(await lastFile(), 100);
      expect(await corruption()).toMatch(/acknowledged events cannot be read back/);
    });

    it('does not start when a segment is missing, cut or damaged at its head', async () => {
      const open = await reopen({ segmentLength: 1000 });
      for (const n of range(5)) await open.append('a', ANY, [proposed(n, 2000)]);
      await store?.close();
      store = undefined;
      const [first, second] = (await logFiles()).map((name) => join(dir, name));
      const whole = await readFile(second!);
      await rm(second!);
      expect(await corruption()).toMatch(/missing/);
      await writeFile(second!, whole.subarray(0, -5));
      expect(await corruption()).toMatch(/cannot be read back|missing/);
      await writeFile(second!, whole);
      await flipByte(second!, 3);
      expect(await corruption()).toMatch(/header/);
      await writeFile(second!, whole);
      await flipByte(first!, 500);
      expect(await corruption()).toMatch(/acknowledged/);
    });

    it('gives the lock back', async () => {
      const open = await reopen();
      for (const n of range(3)) await open.append('a', ANY, [proposed(n)]);
      await closeLikeKilled();
      await flipByte(await lastFile(), 200);
      expect(await corruption()).toMatch(/corrupt/);
      await flipByte(await lastFile(), 200);
      expect(await numbersOf(await reopen(), 'a')).toEqual([0, 1, 2]);
    });
  });

  it('keeps a stream in the order of its creation when the clock is set back', async () => {
    let ms = 10_000;
    const now = (): Date => new Date(ms);
    const createdIn = (from: Store, stream: string): number[] => {
      const number = from.index.streamNumber(stream)!;
      const ordinals = from.index.ordinalsOf(number, 0, from.index.countOf(number));
      return ordinals.map((ordinal) => from.index.createdOf(ordinal));
    };
    const open = await reopen({ now });
    const first = open.append('a', ANY, [proposed(0)]);
    ms = 4000;
    await Promise.all([first, open.append('a', ANY, [proposed(1)]), open.append('b', ANY, [proposed(0)])]);
    const after = await reopen({ now });
    await after.append('a', ANY, [proposed(2)]);
    ms = 11_000;
    await after.append('a', ANY, [proposed(3)]);
    expect(createdIn(after, 'a')).toEqual([10_000, 10_000, 10_000, 11_000]);
    expect(createdIn(after, 'b')).toEqual([4000]);
  });

  it('hides what is older than $maxAge, to the millisecond', async () => {
    let ms = 10_000;
    const open = await reopen({ now: () => new Date(ms) });
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

  it('makes its directory and files for its owner alone', async () => {
    const mask = process.umask(0);
    try {
      const [own, made] = [dir, join(dir, 'new', 'store')];
      dir = made;
      await (await reopen()).append('a', ANY, [proposed(0)]);
      await closeLikeKilled();
      await writeFile(await lastFile(), 'rubbish', { flag: 'a' });
      await reopen({ segmentLength: 100 });
      await store?.append('a', ANY, [proposed(1)]);
      const names = await readdir(made);
      expect(names).toEqual(expect.arrayContaining(['lock', expect.stringMatching(/^torn-tail-/)]));
      const modeOf = async (path: string): Promise<number> => (await stat(path)).mode & 0o777;
      for (const path of [made, join(own, 'new')]) expect([path, await modeOf(path)]).toEqual([path, 0o700]);
      for (const name of names) expect([name, await modeOf(join(made, name))]).toEqual([name, 0o600]);
      await store?.close();
      store = undefined;
      dir = own;
    } finally {
      process.umask(mask);
    }
  });

  it('finds any event of a long stream among others', async () => {
    const open = await reopen({ fsync: false });
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

import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { encodeFiles } from '../format/multi-file-stream.js';
import type { SentFile } from '../format/multi-file-stream.js';
import { BACKUP_FORMAT } from '../format/manifest.js';
import { writePart } from './write-part.js';

let dir: string;

beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'plaza-write-part-'));
});

afterAll(() => rmSync(dir, { recursive: true }));

const common = {
  format: BACKUP_FORMAT,
  backupId: 'backup',
  networkId: 'network',
  takenAt: new Date(0).toISOString(),
  version: '1.0.0',
} as const;

const file = (name: string, ...chunks: string[]): SentFile => ({
  name,
  async *bytes() {
    for (const chunk of chunks) yield await Promise.resolve(Buffer.from(chunk));
  },
});

const failing: SentFile = {
  name: 'failing',
  // oxlint-disable-next-line require-yield
  async *bytes() {
    throw await Promise.resolve(new Error('the disk is gone'));
  },
};

const sent = (...files: SentFile[]) =>
  encodeFiles(
    10,
    files,
    () => ({ epoch: '7' }),
    (error) => (error as Error).message,
  );

async function bytesOf(stream: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** Chunks whose borders are not those of the frames. */
async function* delivered(bytes: Buffer, length = 7): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += length)
    yield await Promise.resolve(bytes.subarray(at, at + length));
}

const write = (
  part: 'witness' | 'vault',
  stream: AsyncIterable<Uint8Array>,
  onProgress = (_done: number, _total: number) => {},
) => writePart(dir, part, common, stream, onProgress);

describe('a part of a backup', () => {
  it('is written file by file, however its stream is chunked', async () => {
    const steps: string[] = [];
    const bytes = await bytesOf(sent(file('one', 'a', 'bc'), file('two'), file('three', 'd'.repeat(20))));
    const written = await write('witness', delivered(bytes), (done, total) => steps.push(`${done}/${total}`));
    expect(written).toMatchObject({ part: 'witness', bytes: 23 });
    const place = join(dir, 'witness');
    expect(readdirSync(place).sort()).toEqual(['manifest.json', 'one', 'three', 'two']);
    expect(readFileSync(join(place, 'one'), 'utf8')).toBe('abc');
    expect(JSON.parse(readFileSync(join(place, 'manifest.json'), 'utf8'))).toMatchObject({
      ...common,
      part: 'witness',
      epoch: '7',
      files: [
        { name: 'one', bytes: 3 },
        { name: 'two', bytes: 0 },
        { name: 'three', bytes: 20 },
      ],
    });
    expect(steps.at(-1)).toBe('23/23');
  });

  it.each([
    [
      'that ends early',
      async () => delivered((await bytesOf(sent(file('one', 'abc')))).subarray(0, -1)),
      /it ended too early/,
    ],
    ['whose sender fails', async () => delivered(await bytesOf(sent(failing))), /the disk is gone/],
    [
      'with a flipped bit',
      async () => delivered(flipped(await bytesOf(sent(file('one', 'abc'))), 'abc')),
      /did not arrive as it was sent/,
    ],
    [
      'with a path outside its directory',
      async () => delivered(await bytesOf(sent(file('../one', 'abc')))),
      /has an invalid name/,
    ],
    [
      'of another format',
      () => Promise.resolve(delivered(Buffer.from('<!doctype html>'))),
      /is no part of a backup/,
    ],
  ])('is refused and stays unnamed for a stream %s', async (_what, stream, why) => {
    await expect(write('vault', await stream())).rejects.toThrow(why);
    expect(readdirSync(dir)).not.toContain('vault');
    rmSync(join(dir, 'vault.unfinished'), { recursive: true });
  });
});

function flipped(bytes: Buffer, where: string): Buffer {
  const at = bytes.indexOf(where);
  bytes[at] = (bytes[at] ?? 0) ^ 1;
  return bytes;
}

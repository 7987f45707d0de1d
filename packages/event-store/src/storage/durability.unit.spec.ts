/** Durability before use. No test can cut the power, so these check the calls of fsync. */
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { fstatSync, statSync } from 'node:fs';
import { mkdir, mkdtemp, open, readdir, rm, stat, writeFile, type FileHandle } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeDirectory } from './directory.js';
import { segmentHeader, segmentPath } from './segment.js';
import { SegmentedLog } from './segmented-log.js';

const nothing = () => undefined;
const QUIET = { onPayload: nothing, onTornTail: nothing, onEmptySegment: nothing, onTailPending: nothing };

let dir: string;
let handles: FileHandle;
let synced: number[];

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'plaza-durable-'));
  const handle = await open(dir);
  handles = Object.getPrototypeOf(handle) as FileHandle;
  await handle.close();
  synced = [];
  for (const method of ['sync', 'datasync'] as const) {
    const original = handles[method];
    jest.spyOn(handles, method).mockImplementation(async function (this: FileHandle) {
      synced.push(fstatSync(this.fd).ino);
      return original.call(this);
    });
  }
});

afterEach(async () => {
  jest.restoreAllMocks();
  await rm(dir, { recursive: true });
});

const inode = (path: string): number => statSync(path).ino;
const noRoom = (): Error => Object.assign(new Error('ENOSPC: no space left'), { code: 'ENOSPC' });

describe('on disk is', () => {
  it('a new directory, with every parent that it created', async () => {
    await mkdir(join(dir, 'there'));
    await makeDirectory(join(dir, 'there', 'new', 'newer'));
    expect(synced).toEqual([join(dir, 'there', 'new'), join(dir, 'there')].map(inode));
    synced = [];
    await makeDirectory(join(dir, 'there', 'new', 'newer'));
    expect(synced).toEqual([]);
  });

  it('the name of a segment whose creation a kill interrupted, before the store serves it', async () => {
    await writeFile(segmentPath(dir, 0), segmentHeader(0));
    const log = await SegmentedLog.open(dir, true, QUIET);
    expect(synced).toContain(inode(dir));
    await log.close();
  });

  it('the end of the file after a write that failed on a full disk', async () => {
    const log = await SegmentedLog.open(dir, true, QUIET);
    await writeFile(segmentPath(dir, 0), 'what was written', { flag: 'a' });
    synced = [];
    await log.truncate();
    expect((await stat(segmentPath(dir, 0))).size).toBe(log.end);
    expect(synced).toEqual([inode(segmentPath(dir, 0))]);
    await log.close();
  });

  it('the removal of a segment whose creation failed on a full disk', async () => {
    const log = await SegmentedLog.open(dir, true, QUIET);
    await log.write([Buffer.from('text')], 4);
    jest.spyOn(handles, 'write').mockRejectedValueOnce(noRoom());
    synced = [];
    await expect(log.roll()).rejects.toThrow('no space left');
    expect(await readdir(dir)).toHaveLength(1);
    expect(synced).toEqual([inode(dir)]);
    await log.close();
  });
});

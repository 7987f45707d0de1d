import { readdir, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { OWNER_ONLY, syncDirectory } from './directory.js';
import { readAt } from './file-bytes.js';
import type { Segment } from './segment.js';

/** Bytes at the end of the log that are no whole frames, cut off and kept in a file. */
export interface TornTail {
  /** File name of the segment. */
  readonly segment: string;
  /** Position at which the log ends now. */
  readonly position: number;
  readonly bytes: number;
  /** Path of the file that keeps the bytes. */
  readonly savedAs: string;
}

/** Keeps what is behind a file offset in a file of its own, then cuts it off. */
export async function cutTail(dir: string, segment: Segment, offset: number): Promise<TornTail> {
  const bytes = await readAt(segment.handle, offset, segment.size - offset);
  const position = segment.base + offset;
  const savedAs = await freePath(dir, `torn-tail-${String(position).padStart(16, '0')}`);
  try {
    await writeFile(savedAs, bytes, { flag: 'wx', flush: true, mode: OWNER_ONLY });
  } catch (error) {
    await rm(savedAs, { force: true });
    throw error;
  }
  await syncDirectory(dir);
  await segment.handle.truncate(offset);
  await segment.handle.sync();
  segment.size = offset;
  return { segment: basename(segment.path), position, bytes: bytes.length, savedAs };
}

/** A name for a tail that overwrites none: several writes may have been interrupted at one position. */
async function freePath(dir: string, name: string): Promise<string> {
  const taken = new Set(await readdir(dir));
  let file = `${name}.bin`;
  for (let n = 2; taken.has(file); n++) file = `${name}-${n}.bin`;
  return join(dir, file);
}

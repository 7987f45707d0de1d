import { readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { syncDirectory } from './directory.js';
import { readAt, writeWhole } from './file-bytes.js';
import { checkFrame } from './frame.js';
import type { Segment } from './segment.js';

/** Bytes at the end of the log that are no whole frames, cut off and kept in a file. */
export interface TornTail {
  /** File name of the segment. */
  readonly segment: string;
  /** Position at which the log ends now. */
  readonly position: number;
  /** Position at which it ended. */
  readonly end: number;
  readonly bytes: number;
  /** It may hold events that were acknowledged: nothing proves that its write was interrupted. */
  readonly mayBeAcknowledged: boolean;
  /** Path of the file that keeps the bytes. */
  readonly savedAs: string;
}

/** The shortest frame that holds an event is longer than this: a prefix and an id alone are. */
const NO_EVENT_LENGTH = 70;

/**
 * Looks at what is behind the last whole frame. It was never acknowledged if it is too short for an event, or if it begins
 * with the whole header of a frame that the file is too short for: an append is acknowledged when all of it is on disk.
 */
export async function lookAtTail(segment: Segment, offset: number): Promise<Omit<TornTail, 'savedAs'>> {
  const bytes = segment.size - offset;
  const position = segment.base + offset;
  const header = await readAt(segment.handle, offset, Math.min(bytes, segment.format.headerLength));
  const check = checkFrame(header, 0, header.length, position, segment.format);
  const isInterrupted = check.kind === 'partial' && check.isSealed && check.length > bytes;
  return {
    segment: basename(segment.path),
    position,
    end: position + bytes,
    bytes,
    mayBeAcknowledged: bytes > NO_EVENT_LENGTH && !isInterrupted,
  };
}

/** Keeps a tail in a file of its own, then cuts it off. Rejects with the disk's error when there is no room for it. */
export async function cutTail(
  dir: string,
  { handle, base }: Segment,
  tail: Omit<TornTail, 'savedAs'>,
): Promise<TornTail> {
  const offset = tail.position - base;
  const bytes = await readAt(handle, offset, tail.bytes);
  const savedAs = await freePath(dir, `torn-tail-${String(tail.position).padStart(16, '0')}`);
  await writeWhole(savedAs, bytes);
  await syncDirectory(dir);
  await handle.truncate(offset);
  await handle.sync();
  return { ...tail, savedAs };
}

/** A name for a tail that overwrites none: several writes may have been interrupted at one position. */
async function freePath(dir: string, name: string): Promise<string> {
  const taken = new Set(await readdir(dir));
  let file = `${name}.bin`;
  for (let n = 2; taken.has(file); n++) file = `${name}-${n}.bin`;
  return join(dir, file);
}

import { readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { syncDirectory } from './directory.js';
import { readBytesAt, writeWhole } from './file-bytes.js';
import { checkFrame } from './frame.js';
import type { Segment } from './segment.js';

export interface TornTail {
  readonly segment: string;
  readonly position: number;
  readonly end: number;
  readonly bytes: number;
  /** True if nothing proves that the write of the tail was interrupted: events in it may have been acknowledged. */
  readonly mayBeAcknowledged: boolean;
  readonly savedAs: string;
}

/** A tail of at most this many bytes holds no whole event: the headers and id of one alone take as many. */
const NO_EVENT_LENGTH = 70;

/**
 * Describes a torn tail, and whether acknowledged events may be in it. None is if the tail is too short for an event.
 * Nor if its frame has a valid header and lacks bytes: an append is acknowledged when all of its bytes are durable.
 */
export async function inspectTail(segment: Segment, offset: number): Promise<Omit<TornTail, 'savedAs'>> {
  const bytes = segment.size - offset;
  const position = segment.base + offset;
  const header = await readBytesAt(segment.handle, offset, Math.min(bytes, segment.format.headerLength));
  const check = checkFrame(header, 0, header.length, position, segment.format);
  const isInterrupted = check.kind === 'partial' && check.hasValidHeader && check.length > bytes;
  return {
    segment: basename(segment.path),
    position,
    end: position + bytes,
    bytes,
    mayBeAcknowledged: bytes > NO_EVENT_LENGTH && !isInterrupted,
  };
}

export async function saveAndCutTail(
  dir: string,
  { handle, base }: Segment,
  tail: Omit<TornTail, 'savedAs'>,
): Promise<TornTail> {
  const offset = tail.position - base;
  const bytes = await readBytesAt(handle, offset, tail.bytes);
  const savedAs = await freePath(dir, `torn-tail-${String(tail.position).padStart(16, '0')}`);
  await writeWhole(savedAs, bytes);
  await syncDirectory(dir);
  await handle.truncate(offset);
  await handle.sync();
  return { ...tail, savedAs };
}

/** Returns a file name that is not taken: earlier interrupted writes may have left tails at the same position. */
async function freePath(dir: string, name: string): Promise<string> {
  const taken = new Set(await readdir(dir));
  let file = `${name}.bin`;
  for (let n = 2; taken.has(file); n++) file = `${name}-${n}.bin`;
  return join(dir, file);
}

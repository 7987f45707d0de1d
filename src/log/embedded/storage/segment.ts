/**
 * The log is cut into segment files. A file is named after the log position of its first byte and begins with a header
 * of 32 bytes that counts as part of the log: "PlazaLog" | version u32 | zero u32 | base position u64 | zero u64.
 */
import { open, readdir, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { OWNER_ONLY, syncDirectory } from './directory.js';

export const SEGMENT_HEADER_LENGTH = 32;
const MAGIC = Buffer.from('PlazaLog');
const VERSION = 1;
const NAME = /^(\d{16})\.log$/;

export interface Segment {
  path: string;
  handle: FileHandle;
  /** Log position of the file's first byte. */
  base: number;
  /** Bytes of the file that belong to the log. */
  size: number;
}

export function segmentPath(dir: string, base: number): string {
  return join(dir, `${String(base).padStart(16, '0')}.log`);
}

/** Bases of the segments in a directory, ascending. */
export async function listSegments(dir: string): Promise<number[]> {
  const bases = (await readdir(dir)).flatMap((name) => {
    const digits = NAME.exec(name)?.[1];
    return digits === undefined ? [] : [Number(digits)];
  });
  return bases.sort((a, b) => a - b);
}

export function segmentHeader(base: number): Buffer {
  const header = Buffer.alloc(SEGMENT_HEADER_LENGTH);
  MAGIC.copy(header);
  header.writeUInt32LE(VERSION, 8);
  header.writeBigUInt64LE(BigInt(base), 16);
  return header;
}

/** Creates the segment that starts at `base`; it survives a power failure once this returns. */
export async function createSegment(dir: string, base: number): Promise<Segment> {
  const path = segmentPath(dir, base);
  const handle = await open(path, 'w+', OWNER_ONLY);
  try {
    await handle.write(segmentHeader(base), 0, SEGMENT_HEADER_LENGTH, 0);
    await handle.sync();
    await syncDirectory(dir);
  } catch (error) {
    await handle.close();
    throw error;
  }
  return { path, handle, base, size: SEGMENT_HEADER_LENGTH };
}

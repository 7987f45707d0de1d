/**
 * The log is a row of segment files. A file is named after its base, the log position of its first byte. The header
 * has 32 bytes, which count as log: "PlazaLog" | version u32 | zero u32 | base u64 | zero u64.
 */
import { open, readdir, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { NewerLogError } from '../errors.js';
import { OWNER_ONLY, syncDirectory } from './directory.js';
import { CURRENT_FORMAT, formatOf, type FrameFormat } from './frame.js';

export const SEGMENT_HEADER_LENGTH = 32;
const MAGIC = Buffer.from('PlazaLog');
const VERSION_END = 12;
const NAME = /^(\d{16})\.log$/;

export interface Segment {
  path: string;
  handle: FileHandle;
  base: number;
  size: number;
  format: FrameFormat;
}

export function segmentPath(dir: string, base: number): string {
  return join(dir, `${String(base).padStart(16, '0')}.log`);
}

export async function listSegments(dir: string): Promise<number[]> {
  const bases = (await readdir(dir)).flatMap((name) => {
    const digits = NAME.exec(name)?.[1];
    return digits === undefined ? [] : [Number(digits)];
  });
  return bases.sort((a, b) => a - b);
}

export function segmentHeader(base: number, { version } = CURRENT_FORMAT): Buffer {
  const header = Buffer.alloc(SEGMENT_HEADER_LENGTH);
  MAGIC.copy(header);
  header.writeUInt32LE(version, 8);
  header.writeBigUInt64LE(BigInt(base), 16);
  return header;
}

/**
 * Returns the format that the header of a segment names; undefined: the header is damaged or incomplete.
 * @throws {NewerLogError} the version is unknown, even in an incomplete header
 */
export function formatOfHeader(header: Buffer, path: string, base: number): FrameFormat | undefined {
  if (header.length < VERSION_END || !header.subarray(0, MAGIC.length).equals(MAGIC)) return undefined;
  const version = header.readUInt32LE(MAGIC.length);
  if (version > CURRENT_FORMAT.version) throw new NewerLogError(path, version);
  const format = formatOf(version);
  return format && header.equals(segmentHeader(base, format)) ? format : undefined;
}

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
  return { path, handle, base, size: SEGMENT_HEADER_LENGTH, format: CURRENT_FORMAT };
}

/**
 * Reading the log at start: every frame is checked and its records are handed on, in order.
 *
 * Where a frame does not check out there are two cases. An interrupted write leaves a torn tail: nothing behind the
 * damage was ever acknowledged; the tail is saved aside and cut off. Anything else is corruption, and the store does
 * not start. The `durable` mark of the frames behind the damage tells the two apart (see frame.ts).
 */
import { open, readdir, rm, unlink, writeFile, type FileHandle } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { CorruptLogError } from '../errors.js';
import { OWNER_ONLY, syncDirectory } from './directory.js';
import { checkFrame, FRAME_HEADER_LENGTH, FRAME_MAGIC } from './frame.js';
import { listSegments, SEGMENT_HEADER_LENGTH, segmentHeader, segmentPath, type Segment } from './segment.js';

const CHUNK_LENGTH = 4 * 1024 * 1024;

export interface RecoveryEvents {
  /** A frame's payload lies in `bytes[start, end)`; the bytes are valid only during the call. */
  onPayload(bytes: Buffer, start: number, end: number): void;
  /** A torn tail was cut off at `position`; its bytes are in the file `savedAs`. */
  onTornTail(tail: { segment: string; position: number; bytes: number; savedAs: string }): void;
}

/** Opens all segments of a directory and reads them through. Throws CorruptLogError. */
export async function recoverSegments(dir: string, events: RecoveryEvents): Promise<Segment[]> {
  const segments: Segment[] = [];
  const bases = await listSegments(dir);
  try {
    for (const [index, base] of bases.entries()) {
      const last = index === bases.length - 1;
      const path = segmentPath(dir, base);
      const handle = await open(path, 'r+');
      const segment: Segment = { path, handle, base, size: (await handle.stat()).size };
      segments.push(segment);
      const previous = segments.at(-2);
      if (base !== (previous ? previous.base + previous.size : 0)) {
        throw new CorruptLogError(path, 0, 'a segment file is missing in front of this one, or not whole');
      }
      if (!(await hasHeader(segment))) {
        if (!last || segment.size > SEGMENT_HEADER_LENGTH)
          throw new CorruptLogError(path, 0, 'the segment header is damaged');
        await saveTail(dir, segment, 0, events);
        segments.pop();
        await handle.close();
        await unlink(path);
        await syncDirectory(dir);
        break;
      }
      await recoverSegment(dir, segment, last, events);
    }
    // What a killed process left in the page cache is about to be served, so it has to be on disk from here on: bytes and names.
    await segments.at(-1)?.handle.sync();
    await syncDirectory(dir);
    return segments;
  } catch (error) {
    await Promise.all(segments.map((segment) => segment.handle.close()));
    throw error;
  }
}

async function hasHeader(segment: Segment): Promise<boolean> {
  const header = Buffer.alloc(SEGMENT_HEADER_LENGTH);
  await segment.handle.read(header, 0, header.length, 0);
  return header.equals(segmentHeader(segment.base));
}

async function recoverSegment(
  dir: string,
  segment: Segment,
  last: boolean,
  events: RecoveryEvents,
): Promise<void> {
  const window = new Window(segment.handle, segment.size, SEGMENT_HEADER_LENGTH);
  for (;;) {
    await window.need(FRAME_HEADER_LENGTH);
    if (window.remaining === 0) return;
    let check = checkFrame(window.bytes, window.at, window.end, segment.base + window.offset);
    if (check.kind === 'partial' && (await window.need(check.length))) {
      check = checkFrame(window.bytes, window.at, window.end, segment.base + window.offset);
    }
    if (check.kind !== 'frame') {
      if (!last || (await wasAcknowledged(segment, window.offset))) {
        throw new CorruptLogError(segment.path, window.offset, 'acknowledged events cannot be read back');
      }
      await cutTail(dir, segment, window.offset, events);
      return;
    }
    const payload = window.at + FRAME_HEADER_LENGTH;
    events.onPayload(window.bytes, payload, window.at + check.length);
    window.skip(check.length);
  }
}

/** Whether a whole frame behind the damage says that the damaged place had been on disk before. */
async function wasAcknowledged(segment: Segment, damage: number): Promise<boolean> {
  const rest = Buffer.alloc(segment.size - damage);
  await segment.handle.read(rest, 0, rest.length, damage);
  for (let at = rest.indexOf(FRAME_MAGIC, 1); at >= 0; at = rest.indexOf(FRAME_MAGIC, at + 1)) {
    const check = checkFrame(rest, at, rest.length, segment.base + damage + at);
    if (check.kind === 'frame' && check.durable > segment.base + damage) return true;
  }
  return false;
}

async function cutTail(dir: string, segment: Segment, offset: number, events: RecoveryEvents): Promise<void> {
  await saveTail(dir, segment, offset, events);
  await segment.handle.truncate(offset);
  await segment.handle.sync();
  segment.size = offset;
}

async function saveTail(
  dir: string,
  segment: Segment,
  offset: number,
  events: RecoveryEvents,
): Promise<void> {
  const tail = Buffer.alloc(segment.size - offset);
  await segment.handle.read(tail, 0, tail.length, offset);
  const position = segment.base + offset;
  const savedAs = await freePath(dir, `torn-tail-${String(position).padStart(16, '0')}`);
  try {
    await writeFile(savedAs, tail, { flag: 'wx', flush: true, mode: OWNER_ONLY });
  } catch (error) {
    await rm(savedAs, { force: true });
    throw error;
  }
  await syncDirectory(dir);
  events.onTornTail({ segment: basename(segment.path), position, bytes: tail.length, savedAs });
}

/** A name for a tail that overwrites none: several writes may have been interrupted at one position. */
async function freePath(dir: string, name: string): Promise<string> {
  const taken = new Set(await readdir(dir));
  let file = `${name}.bin`;
  for (let n = 2; taken.has(file); n++) file = `${name}-${n}.bin`;
  return join(dir, file);
}

/** A window over a file that moves forward only. */
class Window {
  bytes = Buffer.allocUnsafe(CHUNK_LENGTH);
  /** The unread part of `bytes`. */
  at = 0;
  end = 0;

  constructor(
    private readonly handle: FileHandle,
    private readonly size: number,
    /** File offset of `bytes[at]`. */
    public offset: number,
  ) {}

  /** Bytes left in the file. */
  get remaining(): number {
    return this.size - this.offset;
  }

  skip(length: number): void {
    this.at += length;
    this.offset += length;
  }

  /** Makes `length` bytes available from `at` on; false if the file ends before. */
  async need(length: number): Promise<boolean> {
    if (this.end - this.at >= length) return true;
    const to = length > this.bytes.length ? Buffer.allocUnsafe(length) : this.bytes;
    this.bytes.copy(to, 0, this.at, this.end);
    this.end -= this.at;
    this.at = 0;
    this.bytes = to;
    while (this.end < this.bytes.length) {
      const { bytesRead } = await this.handle.read(
        this.bytes,
        this.end,
        this.bytes.length - this.end,
        this.offset + this.end,
      );
      if (bytesRead === 0) break;
      this.end += bytesRead;
    }
    return this.end >= length;
  }
}

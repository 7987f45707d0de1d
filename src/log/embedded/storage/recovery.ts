/**
 * Reading the log at start: every frame is checked and its records are handed on, in order.
 *
 * Where a frame does not check out there are two cases. An interrupted write leaves a torn tail: nothing behind the
 * damage was ever acknowledged; the tail is saved aside and cut off. Anything else is corruption, and the store does
 * not start. The `durable` mark of the frames behind the damage tells the two apart (see frame.ts).
 */
import { open, unlink } from 'node:fs/promises';
import { CorruptLogError } from '../errors.js';
import { syncDirectory } from './directory.js';
import { readAt } from './file-bytes.js';
import { FileWindow } from './file-window.js';
import { checkFrame, FRAME_HEADER_LENGTH, FRAME_MAGIC } from './frame.js';
import { findCopies, finishProof, proveEnd } from './prove-end.js';
import { listSegments, SEGMENT_HEADER_LENGTH, segmentHeader, segmentPath, type Segment } from './segment.js';
import { cutTail, type TornTail } from './torn-tail.js';

export interface RecoveryEvents {
  /** A frame's payload lies in `bytes[start, end)`; the bytes are valid only during the call. */
  onPayload(bytes: Buffer, start: number, end: number): void;
  onTornTail(tail: TornTail): void;
}

/** The frames of one segment up to the first that is damaged. */
interface ReadFrames {
  /** File offset behind the last whole frame. */
  readonly end: number;
  /** Position up to which a frame says that the log was durable. */
  readonly durable: number;
}

/**
 * Opens all segments of a directory and reads them through. What they hold is on disk when this resolves, and no end mark
 * is behind it.
 * Throws CorruptLogError and StoreUnavailableError.
 */
export async function recoverSegments(dir: string, events: RecoveryEvents): Promise<Segment[]> {
  const segments: Segment[] = [];
  try {
    const copies = await findCopies(dir);
    const proven = await openSegments(dir, segments, copies);
    const last = segments.at(-1);
    if (last) for (const position of copies) await finishProof(dir, last, position);
    let read: ReadFrames = { end: 0, durable: 0 };
    for (const segment of segments) {
      read = await readFrames(segment, events);
      if (read.end < segment.size && segment !== last) throw notReadable(segment, read.end);
    }
    if (last) {
      // A segment is begun only when everything in front of it is durable; and written to when it is durable itself.
      const durable = Math.max(read.durable, proven, last.base + SEGMENT_HEADER_LENGTH);
      if (read.end < last.size) await cutDamage(dir, last, read.end, durable, events);
      await proveEnd(dir, last, durable);
    }
    await syncDirectory(dir);
    return segments;
  } catch (error) {
    await Promise.all(segments.map((segment) => segment.handle.close()));
    throw error;
  }
}

/**
 * Opens the segments and checks that their headers are whole and that none is missing. Removes the last one if it holds no
 * frame: its creation was interrupted. Answers the position up to which its existence proves the log durable, or 0.
 */
async function openSegments(dir: string, segments: Segment[], copies: readonly number[]): Promise<number> {
  const bases = await listSegments(dir);
  for (const [index, base] of bases.entries()) {
    const path = segmentPath(dir, base);
    const handle = await open(path, 'r+');
    const segment: Segment = { path, handle, base, size: (await handle.stat()).size };
    segments.push(segment);
    const previous = segments.at(-2);
    if (base !== (previous ? previous.base + previous.size : 0)) {
      throw new CorruptLogError(path, 0, 'a segment file is missing in front of this one, or not whole');
    }
    const isLast = index === bases.length - 1;
    const isEmpty = segment.size <= SEGMENT_HEADER_LENGTH && !copies.includes(base + SEGMENT_HEADER_LENGTH);
    if (isLast && isEmpty) {
      segments.pop();
      await handle.close();
      await unlink(path);
      await syncDirectory(dir);
      return base;
    }
    const header = await readAt(handle, 0, SEGMENT_HEADER_LENGTH);
    if (!header.equals(segmentHeader(base)))
      throw new CorruptLogError(path, 0, 'the segment header is damaged');
  }
  return 0;
}

async function readFrames(segment: Segment, events: RecoveryEvents): Promise<ReadFrames> {
  const window = new FileWindow(segment.handle, segment.size, SEGMENT_HEADER_LENGTH);
  let durable = 0;
  for (;;) {
    await window.need(FRAME_HEADER_LENGTH);
    if (window.remaining === 0) return { end: window.offset, durable };
    let check = checkFrame(window.bytes, window.at, window.end, segment.base + window.offset);
    if (check.kind === 'partial' && (await window.need(check.length))) {
      check = checkFrame(window.bytes, window.at, window.end, segment.base + window.offset);
    }
    if (check.kind !== 'frame') return { end: window.offset, durable };
    const payload = window.at + FRAME_HEADER_LENGTH;
    events.onPayload(window.bytes, payload, window.at + check.length);
    window.skip(check.length);
    durable = Math.max(durable, check.durable);
  }
}

/** Cuts what is damaged at the end of the last segment, unless acknowledged events are in it. */
async function cutDamage(
  dir: string,
  segment: Segment,
  damage: number,
  durable: number,
  events: RecoveryEvents,
): Promise<void> {
  if (segment.base + damage < durable || (await wasAcknowledged(segment, damage)))
    throw notReadable(segment, damage);
  events.onTornTail(await cutTail(dir, segment, damage));
}

/** Whether a whole frame behind the damage says that the damaged place had been on disk before. */
async function wasAcknowledged(segment: Segment, damage: number): Promise<boolean> {
  const rest = await readAt(segment.handle, damage, segment.size - damage);
  for (let at = rest.indexOf(FRAME_MAGIC, 1); at >= 0; at = rest.indexOf(FRAME_MAGIC, at + 1)) {
    const check = checkFrame(rest, at, rest.length, segment.base + damage + at);
    if (check.kind === 'frame' && check.durable > segment.base + damage) return true;
  }
  return false;
}

function notReadable(segment: Segment, offset: number): CorruptLogError {
  return new CorruptLogError(segment.path, offset, 'acknowledged events cannot be read back');
}

/**
 * Reading the log at start: every frame is checked and its records are handed on, in order.
 *
 * Where a frame does not check out there are two cases. Where a `durable` mark behind it (see frame.ts) proves that it was
 * acknowledged, the log is corrupt, and the store does not start. Else it is a torn tail, as an interrupted write leaves it:
 * it is kept aside and cut off, and the log line says whether acknowledged events may be in it.
 */
import { open, unlink } from 'node:fs/promises';
import { basename } from 'node:path';
import { CorruptLogError } from '../errors.js';
import { syncDirectory } from './directory.js';
import { readAt } from './file-bytes.js';
import { FileWindow } from './file-window.js';
import { checkFrame, CURRENT_FORMAT, type FrameFormat } from './frame.js';
import { isNoSpace } from './no-space.js';
import { findCopies, finishProof, proveEnd } from './prove-end.js';
import { formatOfHeader, listSegments, SEGMENT_HEADER_LENGTH, segmentPath, type Segment } from './segment.js';
import { cutTail, lookAtTail, type TornTail } from './torn-tail.js';

export interface RecoveryEvents {
  /** A frame's payload lies in `bytes[start, end)`; the bytes are valid only during the call. */
  onPayload(bytes: Buffer, start: number, end: number, format: FrameFormat): void;
  /** A tail was cut off. */
  onTornTail(tail: TornTail): void;
  /** A last segment was removed that held no frame: its creation was interrupted, unless it was cut. */
  onEmptySegment(removed: { readonly segment: string; readonly bytes: number }): void;
  /** A tail is not read, and stays where it is until there is room to keep it elsewhere. */
  onTailLeft(tail: Omit<TornTail, 'savedAs'>): void;
}

export interface RecoveredLog {
  readonly segments: Segment[];
  /** Cuts off the tail that was left for want of room. To be called before anything is written. */
  readonly cutLater: (() => Promise<void>) | undefined;
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
export async function recoverSegments(dir: string, events: RecoveryEvents): Promise<RecoveredLog> {
  const segments: Segment[] = [];
  let cutLater: RecoveredLog['cutLater'];
  try {
    const copies = await findCopies(dir);
    const proven = await openSegments(dir, segments, copies, events);
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
      if (read.end < last.size) cutLater = await cutDamage(dir, last, read.end, durable, events);
      await proveEnd(dir, last, durable, cutLater !== undefined);
    }
    await syncDirectory(dir);
    return { segments, cutLater };
  } catch (error) {
    await Promise.all(segments.map((segment) => segment.handle.close()));
    throw error;
  }
}

/**
 * Opens the segments and checks that their headers are whole and that none is missing. Removes the last one if it holds no
 * frame: its creation was interrupted. Answers the position up to which its existence proves the log durable, or 0.
 */
async function openSegments(
  dir: string,
  segments: Segment[],
  copies: readonly number[],
  events: RecoveryEvents,
): Promise<number> {
  const bases = await listSegments(dir);
  for (const [index, base] of bases.entries()) {
    const path = segmentPath(dir, base);
    const handle = await open(path, 'r+');
    const segment: Segment = { path, handle, base, size: (await handle.stat()).size, format: CURRENT_FORMAT };
    segments.push(segment);
    const previous = segments.at(-2);
    if (base !== (previous ? previous.base + previous.size : 0)) {
      throw new CorruptLogError(path, 0, 'a segment file is missing in front of this one, or not whole');
    }
    const format = formatOfHeader(await readAt(handle, 0, SEGMENT_HEADER_LENGTH), path, base);
    const isLast = index === bases.length - 1;
    const isEmpty = segment.size <= SEGMENT_HEADER_LENGTH && !copies.includes(base + SEGMENT_HEADER_LENGTH);
    if (isLast && isEmpty) {
      segments.pop();
      await handle.close();
      await unlink(path);
      await syncDirectory(dir);
      // A whole header alone is what a store leaves that never got an event.
      if (base > 0 || segment.size < SEGMENT_HEADER_LENGTH)
        events.onEmptySegment({ segment: basename(path), bytes: segment.size });
      return base;
    }
    if (!format) throw new CorruptLogError(path, 0, 'the segment header is damaged');
    segment.format = format;
  }
  return 0;
}

async function readFrames(segment: Segment, events: RecoveryEvents): Promise<ReadFrames> {
  const window = new FileWindow(segment.handle, segment.size, SEGMENT_HEADER_LENGTH);
  const { format } = segment;
  let durable = 0;
  for (;;) {
    await window.need(format.headerLength);
    if (window.remaining === 0) return { end: window.offset, durable };
    let check = checkFrame(window.bytes, window.at, window.end, segment.base + window.offset, format);
    if (check.kind === 'partial' && (await window.need(check.length))) {
      check = checkFrame(window.bytes, window.at, window.end, segment.base + window.offset, format);
    }
    if (check.kind !== 'frame') return { end: window.offset, durable };
    const payload = window.at + format.headerLength;
    events.onPayload(window.bytes, payload, window.at + check.length, format);
    window.skip(check.length);
    durable = Math.max(durable, check.durable);
  }
}

/**
 * Cuts what is damaged at the end of the last segment, unless acknowledged events are in it. Where there is no room to keep
 * it, the log ends in front of it all the same, and the answer cuts it later.
 */
async function cutDamage(
  dir: string,
  segment: Segment,
  damage: number,
  durable: number,
  events: RecoveryEvents,
): Promise<RecoveredLog['cutLater']> {
  if (segment.base + damage < durable || (await wasAcknowledged(segment, damage)))
    throw notReadable(segment, damage);
  const tail = await lookAtTail(segment, damage);
  const cut = async (): Promise<void> => events.onTornTail(await cutTail(dir, segment, tail));
  segment.size = damage;
  try {
    await cut();
    return undefined;
  } catch (error) {
    if (!isNoSpace(error)) throw error;
    events.onTailLeft(tail);
    return cut;
  }
}

/** Whether a whole frame behind the damage says that the damaged place had been on disk before. */
async function wasAcknowledged(segment: Segment, damage: number): Promise<boolean> {
  const rest = await readAt(segment.handle, damage, segment.size - damage);
  const { magic } = segment.format;
  for (let at = rest.indexOf(magic, 1); at >= 0; at = rest.indexOf(magic, at + 1)) {
    const check = checkFrame(rest, at, rest.length, segment.base + damage + at, segment.format);
    if (check.kind === 'frame' && check.durable > segment.base + damage) return true;
  }
  return false;
}

function notReadable(segment: Segment, offset: number): CorruptLogError {
  return new CorruptLogError(segment.path, offset, 'acknowledged events cannot be read back');
}

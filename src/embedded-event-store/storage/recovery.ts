/**
 * Reads the log at start, checks every frame and passes on its records.
 *
 * If a later frame's `durable` mark (frame.ts) proves a damaged frame acknowledged, the log is corrupt and the store
 * does not start. Otherwise the damage is a torn tail of an interrupted write. Recovery saves the tail in a file,
 * truncates it, and logs if acknowledged events may be in it.
 */
import { open, unlink } from 'node:fs/promises';
import { basename } from 'node:path';
import { CorruptLogError } from '../errors.js';
import { syncDirectory } from './directory.js';
import { readBytesAt } from './file-bytes.js';
import { FileWindow } from './file-window.js';
import { checkFrame, CURRENT_FORMAT, type FrameFormat } from './frame.js';
import { isNoSpace } from './no-space.js';
import { findEndCopies, finishRewrite, rewriteUnprovenEnd } from './unproven-end.js';
import { formatOfHeader, listSegments, SEGMENT_HEADER_LENGTH, segmentPath, type Segment } from './segment.js';
import { cutTail, inspectTail, type TornTail } from './torn-tail.js';

export interface RecoveryEvents {
  /** The payload is `bytes[start, end)`, valid during the call only. */
  onPayload(bytes: Buffer, start: number, end: number, format: FrameFormat): void;
  onTornTail(tail: TornTail): void;
  /** Removed a last segment without frames, left by an interrupted creation or by a truncation. */
  onEmptySegment(removed: { readonly segment: string; readonly bytes: number }): void;
  /** Ignored a tail that cannot be saved until the disk has space. */
  onTailPending(tail: Omit<TornTail, 'savedAs'>): void;
}

export interface RecoveredLog {
  readonly segments: Segment[];
  /** Saves and truncates the ignored tail; must run before the first write. */
  readonly cutPendingTail: (() => Promise<void>) | undefined;
}

interface ReadFrames {
  readonly end: number;
  readonly durable: number;
}

/**
 * Opens and reads all segments. Afterwards their bytes are durable and end without an end mark.
 * @throws {CorruptLogError}
 * @throws {StoreUnavailableError}
 */
export async function recoverSegments(dir: string, events: RecoveryEvents): Promise<RecoveredLog> {
  const segments: Segment[] = [];
  let cutPendingTail: RecoveredLog['cutPendingTail'];
  try {
    const copies = await findEndCopies(dir);
    const proven = await openSegments(dir, segments, copies, events);
    const last = segments.at(-1);
    if (last) for (const position of copies) await finishRewrite(dir, last, position);
    let read: ReadFrames = { end: 0, durable: 0 };
    for (const segment of segments) {
      read = await readFrames(segment, events);
      if (read.end < segment.size && segment !== last) throw unreadable(segment, read.end);
    }
    if (last) {
      // A new segment is created after the previous one is durable, and written to after its own creation is durable.
      const durable = Math.max(read.durable, proven, last.base + SEGMENT_HEADER_LENGTH);
      if (read.end < last.size) cutPendingTail = await cutDamage(dir, last, read.end, durable, events);
      await rewriteUnprovenEnd(dir, last, durable, cutPendingTail !== undefined);
    }
    await syncDirectory(dir);
    return { segments, cutPendingTail };
  } catch (error) {
    await Promise.all(segments.map((segment) => segment.handle.close()));
    throw error;
  }
}

/**
 * Checks headers and continuity. Removes a last segment without frames, left by an interrupted creation. Returns the
 * position up to which the removed segment's existence proves the log durable, or 0.
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
    const format = formatOfHeader(await readBytesAt(handle, 0, SEGMENT_HEADER_LENGTH), path, base);
    const isLast = index === bases.length - 1;
    const isEmpty = segment.size <= SEGMENT_HEADER_LENGTH && !copies.includes(base + SEGMENT_HEADER_LENGTH);
    if (isLast && isEmpty) {
      segments.pop();
      await handle.close();
      await unlink(path);
      await syncDirectory(dir);
      // A store that never got an event leaves a whole header alone.
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
 * Truncates damage at the end of the last segment. Without space to save the bytes, the log ends before them, and the
 * result truncates them later.
 * @throws {CorruptLogError} acknowledged events are damaged
 */
async function cutDamage(
  dir: string,
  segment: Segment,
  damage: number,
  durable: number,
  events: RecoveryEvents,
): Promise<RecoveredLog['cutPendingTail']> {
  if (segment.base + damage < durable || (await wasAcknowledged(segment, damage)))
    throw unreadable(segment, damage);
  const tail = await inspectTail(segment, damage);
  const cut = async (): Promise<void> => events.onTornTail(await cutTail(dir, segment, tail));
  segment.size = damage;
  try {
    await cut();
    return undefined;
  } catch (error) {
    if (!isNoSpace(error)) throw error;
    events.onTailPending(tail);
    return cut;
  }
}

async function wasAcknowledged(segment: Segment, damage: number): Promise<boolean> {
  const rest = await readBytesAt(segment.handle, damage, segment.size - damage);
  const { magic } = segment.format;
  for (let at = rest.indexOf(magic, 1); at >= 0; at = rest.indexOf(magic, at + 1)) {
    const check = checkFrame(rest, at, rest.length, segment.base + damage + at, segment.format);
    if (check.kind === 'frame' && check.durable > segment.base + damage) return true;
  }
  return false;
}

function unreadable(segment: Segment, offset: number): CorruptLogError {
  return new CorruptLogError(segment.path, offset, 'acknowledged events cannot be read back');
}

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
import { saveAndCutTail, inspectTail, type TornTail } from './torn-tail.js';

export interface RecoveryEvents {
  /** Called for the records of each valid frame: `bytes[start, end)`, valid during the call only. */
  onPayload(bytes: Buffer, start: number, end: number, format: FrameFormat): void;
  onTornTail(tail: TornTail): void;
  /**
   * Called after a last segment without frames was removed: its creation was interrupted, or another program
   * truncated it.
   */
  onEmptySegment(removed: { readonly segment: string; readonly bytes: number }): void;
  /**
   * Called if a torn tail is ignored for now: it is truncated only after it is saved, and the disk has no space for
   * that.
   */
  onTailPending(tail: Omit<TornTail, 'savedAs'>): void;
}

export interface RecoveredLog {
  readonly segments: Segment[];
  /**
   * Saves and truncates a torn tail that was ignored for lack of space; must run before the first write. Undefined:
   * there is none.
   */
  readonly cutPendingTail: (() => Promise<void>) | undefined;
}

interface ReadFrames {
  readonly end: number;
  readonly durable: number;
}

/**
 * Opens and reads all segments. Afterwards all their bytes are durable, and the log does not end with an end mark:
 * the store writes a new one.
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
 * Opens all segments, and checks that each has a valid header and begins where the previous one ends. Removes a last
 * segment without frames. Returns the position up to which the existence of that segment proves the log durable; 0:
 * none was removed.
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
      throw new CorruptLogError(
        path,
        0,
        'recovery found the segment file before this one missing, or not ending where this one begins',
      );
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
    if (!format) throw new CorruptLogError(path, 0, 'recovery found the header of this segment file damaged');
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
 * Saves and truncates damage at the end of the last segment. Without space to save it, the damage stays behind the
 * end of the log, and the result truncates it later.
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
  const cut = async (): Promise<void> => events.onTornTail(await saveAndCutTail(dir, segment, tail));
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
  return new CorruptLogError(segment.path, offset, 'recovery found acknowledged events damaged or cut off');
}

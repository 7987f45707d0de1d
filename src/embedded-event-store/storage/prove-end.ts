/**
 * The end of the log at start. After an fsync that failed, the page cache shows bytes that the disk does not have and calls
 * them clean: a further fsync succeeds and writes nothing. ext4 even loses bytes that are written again in place, where it
 * had failed to allocate their blocks. So what no frame proves durable is copied to a file of its own, cut off, and written
 * again into new blocks. The copy is complete on disk before the log is cut, and is removed before the store serves.
 */
import { readdir, readFile, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { CorruptLogError, StoreUnavailableError } from '../errors.js';
import { syncDirectory } from './directory.js';
import { readAt, writeAt, writeWhole } from './file-bytes.js';
import { checkFrame, type FrameFormat } from './frame.js';
import { isNoSpace } from './no-space.js';
import type { Segment } from './segment.js';

const COPY_NAME = /^log-end-(\d{16})\.bin$/;

/**
 * Brings everything behind a position of the last segment to the disk, but for an end mark, which it cuts off: another one
 * takes its place. Throws StoreUnavailableError when the disk does not take it.
 *
 * @param durable position up to which the log is proven to be on disk; not in front of the segment's first frame
 * @param hasTail the file has a tail behind the log's end, for which there was no room elsewhere: it is not cut off
 */
export async function proveEnd(
  dir: string,
  segment: Segment,
  durable: number,
  hasTail: boolean,
): Promise<void> {
  await orUnavailable(async () => {
    const from = durable - segment.base;
    const frames = await readAt(segment.handle, from, segment.size - from);
    if (wholeFrames(frames, durable, segment.format) < frames.length)
      throw new Error(`${segment.path} reads differently than a moment ago`);
    if (hasTail) return rewrite(segment, from, frames);
    if (frames.length <= segment.format.headerLength) return cut(segment, from);
    try {
      await writeWhole(copyPath(dir, durable), frames);
    } catch (error) {
      if (!isNoSpace(error)) throw error;
      // On a full disk this is the most that can be done: the store has to start there, since reads go on.
      await rewrite(segment, from, frames);
      return;
    }
    await syncDirectory(dir);
    await replace(dir, segment, durable, frames);
  });
}

/** Positions of the copies in a directory: a process that ended in `proveEnd` leaves one. */
export async function findCopies(dir: string): Promise<number[]> {
  return (await readdir(dir)).flatMap((name) => {
    const digits = COPY_NAME.exec(name)?.[1];
    return digits === undefined ? [] : [Number(digits)];
  });
}

/** Finishes what `proveEnd` had begun when its process ended: the log may lack what the copy has. Throws CorruptLogError. */
export async function finishProof(dir: string, segment: Segment, position: number): Promise<void> {
  await orUnavailable(async () => {
    const frames = await readFile(copyPath(dir, position));
    const end = segment.base + segment.size;
    const isComplete = frames.length > 0 && wholeFrames(frames, position, segment.format) === frames.length;
    if (isComplete && position > end)
      throw new CorruptLogError(segment.path, segment.size, `it ends in front of ${copyPath(dir, position)}`);
    const isOlder = position < segment.base || position + frames.length < end;
    if (isComplete && !isOlder) await replace(dir, segment, position, frames);
    else await removeCopy(dir, position);
  });
}

async function replace(dir: string, segment: Segment, position: number, frames: Buffer): Promise<void> {
  const from = position - segment.base;
  await cut(segment, from);
  await rewrite(segment, from, frames);
  await removeCopy(dir, position);
}

async function cut(segment: Segment, from: number): Promise<void> {
  await segment.handle.truncate(from);
  await segment.handle.sync();
  segment.size = from;
}

async function rewrite(segment: Segment, from: number, frames: Buffer): Promise<void> {
  await writeAt(segment.handle, frames, from);
  await segment.handle.sync();
  segment.size = from + frames.length;
}

async function removeCopy(dir: string, position: number): Promise<void> {
  await unlink(copyPath(dir, position));
  await syncDirectory(dir);
}

function copyPath(dir: string, position: number): string {
  return join(dir, `log-end-${String(position).padStart(16, '0')}.bin`);
}

/** How many of the bytes, the first of which has this position, are whole frames. */
function wholeFrames(bytes: Buffer, position: number, format: FrameFormat): number {
  for (let at = 0; ;) {
    const check = checkFrame(bytes, at, bytes.length, position + at, format);
    if (check.kind !== 'frame') return at;
    at += check.length;
  }
}

async function orUnavailable(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (error instanceof CorruptLogError) throw error;
    throw new StoreUnavailableError(
      `the event store did not start: it could not bring the end of its log to the disk (${(error as Error).message}); ` +
        'check the disk, then start it again',
      { cause: error },
    );
  }
}

/**
 * Makes the end of the log durable at start. After a failed fsync the page cache shows bytes that the disk does not
 * have and marks them clean: another fsync succeeds and writes nothing. ext4 also loses bytes rewritten in place
 * where it had failed to allocate blocks. So bytes that no frame proves durable are copied to another file,
 * truncated, and written again into new blocks. The copy is durable before the truncation, and is removed before the
 * store serves.
 */
import { readdir, readFile, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { CorruptLogError, StoreUnavailableError } from '../errors.js';
import { syncDirectory } from './directory.js';
import { readBytesAt, writeAt, writeWhole } from './file-bytes.js';
import { checkFrame, type FrameFormat } from './frame.js';
import { isNoSpace } from './no-space.js';
import type { Segment } from './segment.js';

const COPY_NAME = /^log-end-(\d{16})\.bin$/;

/**
 * Makes the bytes after `durable` in the last segment durable. If they are only an end mark, truncates it: the store
 * writes a new one.
 * @param durable proven position, not before the first frame of the segment
 * @param hasTail a torn tail follows that could not be saved for lack of space: then nothing is truncated
 * @throws {StoreUnavailableError} the disk does not accept the writes
 */
export async function rewriteUnprovenEnd(
  dir: string,
  segment: Segment,
  durable: number,
  hasTail: boolean,
): Promise<void> {
  await orUnavailable(async () => {
    const from = durable - segment.base;
    const frames = await readBytesAt(segment.handle, from, segment.size - from);
    if (wholeFrames(frames, durable, segment.format) < frames.length)
      throw new Error(`a second read of ${segment.path} found damage at its end that the first did not find`);
    if (hasTail) return rewrite(segment, from, frames);
    if (frames.length <= segment.format.headerLength) return truncate(segment, from);
    try {
      await writeWhole(copyPath(dir, durable), frames);
    } catch (error) {
      if (!isNoSpace(error)) throw error;
      // A full disk allows no more than this, and the store must start for its readers.
      await rewrite(segment, from, frames);
      return;
    }
    await syncDirectory(dir);
    await replaceEnd(dir, segment, durable, frames);
  });
}

export async function findEndCopies(dir: string): Promise<number[]> {
  return (await readdir(dir)).flatMap((name) => {
    const digits = COPY_NAME.exec(name)?.[1];
    return digits === undefined ? [] : [Number(digits)];
  });
}

/**
 * Completes a `rewriteUnprovenEnd` that was interrupted: the log may lack the frames of its copy.
 * @throws {CorruptLogError} the log lacks bytes before the copy
 */
export async function finishRewrite(dir: string, segment: Segment, position: number): Promise<void> {
  await orUnavailable(async () => {
    const frames = await readFile(copyPath(dir, position));
    const end = segment.base + segment.size;
    const isComplete = frames.length > 0 && wholeFrames(frames, position, segment.format) === frames.length;
    if (isComplete && position > end)
      throw new CorruptLogError(
        segment.path,
        segment.size,
        `recovery found that the log ends before the copy of its end, ${copyPath(dir, position)}, begins`,
      );
    const isOlder = position < segment.base || position + frames.length < end;
    if (isComplete && !isOlder) await replaceEnd(dir, segment, position, frames);
    else await removeCopy(dir, position);
  });
}

async function replaceEnd(dir: string, segment: Segment, position: number, frames: Buffer): Promise<void> {
  const from = position - segment.base;
  await truncate(segment, from);
  await rewrite(segment, from, frames);
  await removeCopy(dir, position);
}

async function truncate(segment: Segment, from: number): Promise<void> {
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

import { fstatSync, readSync } from 'node:fs';
import { rm, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { syncDirectory } from './directory.js';
import { readBytesAt, writeAt, writeWhole } from './file-bytes.js';
import { CURRENT_FORMAT, type FrameFormat } from './frame.js';
import { recoverSegments, type RecoveryEvents } from './recovery.js';
import { createSegment, segmentPath, type Segment } from './segment.js';

const WRITE_PROBE_LENGTH = 32;
const SPACE_PROBE_LENGTH = 128 * 1024;
/** With less free space than this, a space probe follows: `statfs` alone is not reliable enough. */
const LOW_SPACE = 4 * SPACE_PROBE_LENGTH;

/** The segment files as one sequence of bytes; a position is an offset in it. Only one writer may use it. */
export class SegmentedLog {
  private constructor(
    private readonly dir: string,
    private readonly segments: Segment[],
    private readonly fsync: boolean,
    readonly isNew: boolean,
    private cutPendingTail: (() => Promise<void>) | undefined,
  ) {}

  static async open(dir: string, fsync: boolean, events: RecoveryEvents): Promise<SegmentedLog> {
    const { segments, cutPendingTail } = await recoverSegments(dir, events);
    const isNew = segments.length === 0;
    if (isNew) segments.push(await createSegment(dir, 0));
    return new SegmentedLog(dir, segments, fsync, isNew, cutPendingTail);
  }

  get end(): number {
    const { base, size } = this.#current;
    return base + size;
  }

  get segmentBase(): number {
    return this.#current.base;
  }

  /** True if the current segment has an older format, which is only read: the next frame must open a new segment. */
  get mustRoll(): boolean {
    return this.#current.format !== CURRENT_FORMAT;
  }

  /** Appends bytes; they are durable once this resolves. After an error, call `truncate` before the next write. */
  async write(buffers: Buffer[], length: number): Promise<void> {
    const segment = this.#current;
    await this.#cutPendingTail();
    assertUnchangedSize(segment);
    await writeAll(segment, buffers, length);
    if (this.fsync) await sync(segment);
    segment.size += length;
  }

  async truncate(): Promise<void> {
    // Nothing was written after a tail that could not be saved.
    if (this.cutPendingTail) return;
    const segment = this.#current;
    await segment.handle.truncate(segment.size);
    if (this.fsync) await sync(segment);
  }

  /**
   * Proves that the log can be written: rewrites its last bytes unchanged and syncs them. If little space is free,
   * also writes and removes a file.
   * @throws the same errors as `write`
   */
  async probeWrite(): Promise<void> {
    const segment = this.#current;
    if (!this.cutPendingTail) assertUnchangedSize(segment);
    const from = Math.max(0, segment.size - WRITE_PROBE_LENGTH);
    await writeAt(segment.handle, await readBytesAt(segment.handle, from, segment.size - from), from);
    if (this.fsync) await sync(segment);
    const { bavail, bsize } = await statfs(this.dir);
    if (bavail * bsize < LOW_SPACE) await this.probeSpace();
  }

  async probeSpace(): Promise<void> {
    await this.#cutPendingTail();
    const path = join(this.dir, 'room');
    await writeWhole(path, Buffer.alloc(SPACE_PROBE_LENGTH));
    await rm(path);
  }

  async roll(): Promise<void> {
    await this.#cutPendingTail();
    const base = this.end;
    try {
      this.segments.push(await createSegment(this.dir, base));
    } catch (error) {
      await this.#removeSegment(base);
      throw error;
    }
  }

  /** Reads bytes of one frame; undefined: another program has truncated the file since it was opened. */
  async read(position: number, length: number): Promise<Buffer | undefined> {
    const segment = this.#segmentOf(position);
    const bytes = Buffer.allocUnsafe(length);
    let done = 0;
    while (done < length) {
      const at = position - segment.base + done;
      const { bytesRead } = await segment.handle.read(bytes, done, length - done, at);
      if (bytesRead === 0) return undefined;
      done += bytesRead;
    }
    return bytes;
  }

  readSync(position: number, length: number): Buffer | undefined {
    const segment = this.#segmentOf(position);
    const bytes = Buffer.alloc(length);
    const bytesRead = readSync(segment.handle.fd, bytes, 0, length, position - segment.base);
    return bytesRead === length ? bytes : undefined;
  }

  formatAt(position: number): FrameFormat {
    return this.#segmentOf(position).format;
  }

  sameSegment(a: number, b: number): boolean {
    return this.#segmentOf(a) === this.#segmentOf(b);
  }

  async close(): Promise<void> {
    await Promise.all(this.segments.map((segment) => segment.handle.close()));
  }

  async #cutPendingTail(): Promise<void> {
    await this.cutPendingTail?.();
    this.cutPendingTail = undefined;
  }

  /**
   * Removes a segment whose creation failed: the segment before it goes on growing, and recovery would then find a
   * gap.
   */
  async #removeSegment(base: number): Promise<void> {
    const path = segmentPath(this.dir, base);
    try {
      await rm(path, { force: true });
      await syncDirectory(this.dir);
    } catch (error) {
      throw new SyncError(`the new segment file ${path} could not be removed after its creation failed`, {
        cause: error,
      });
    }
  }

  get #current(): Segment {
    return this.#at(this.segments.length - 1);
  }

  #segmentOf(position: number): Segment {
    if (position >= this.#current.base) return this.#current;
    let low = 0;
    let high = this.segments.length - 1;
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if (this.#at(middle).base <= position) low = middle;
      else high = middle - 1;
    }
    return this.#at(low);
  }

  #at(index: number): Segment {
    const segment = this.segments[index];
    if (!segment)
      throw new RangeError(
        `segment ${index} of the log was requested, but the log has ${this.segments.length}`,
      );
    return segment;
  }
}

/** An fsync failed. The state of the page cache is unknown then: the bytes may or may not survive a restart. */
export class SyncError extends Error {
  override readonly name = 'SyncError';
}

/**
 * Throws if another program has truncated or extended the file: the next event would be written where no reader finds
 * it.
 */
function assertUnchangedSize({ handle, path, size }: Segment): void {
  const found = fstatSync(handle.fd).size;
  if (found !== size)
    throw new Error(
      `nothing was written: ${path} has ${found} bytes and should have ${size}, so another program has changed it`,
    );
}

async function sync(segment: Segment): Promise<void> {
  try {
    await segment.handle.datasync();
  } catch (error) {
    throw new SyncError(
      `fsync of the segment file ${segment.path} failed: its last bytes may not be on the disk`,
      { cause: error },
    );
  }
}

async function writeAll(segment: Segment, buffers: Buffer[], length: number): Promise<void> {
  const { bytesWritten } = await segment.handle.writev(buffers, segment.size);
  if (bytesWritten === length) return;
  // after a short write, the next write succeeds or shows the error
  const rest = Buffer.concat(buffers).subarray(bytesWritten);
  await writeAt(segment.handle, rest, segment.size + bytesWritten);
}

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
/** Below this free space, `statfs` is not reliable enough: a space probe follows. */
const LOW_SPACE = 4 * SPACE_PROBE_LENGTH;

/** The log's files as one sequence of bytes; positions are offsets into it. For one writer. */
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

  /** The current segment has an older format, which is only read. */
  get mustRoll(): boolean {
    return this.#current.format !== CURRENT_FORMAT;
  }

  /** Appends bytes durably. After an error, call `truncate` before the next write. */
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
   * Rewrites the last bytes of the log unchanged and syncs them. Also probes for space if little is free.
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

  /** Reads bytes of one frame. Undefined if the file was truncated while it was open. */
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

  /** Recovery must not find a segment whose predecessor has grown since. */
  async #removeSegment(base: number): Promise<void> {
    const path = segmentPath(this.dir, base);
    try {
      await rm(path, { force: true });
      await syncDirectory(this.dir);
    } catch (error) {
      throw new SyncError(`${path} could not be removed`, { cause: error });
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
    if (!segment) throw new RangeError(`the log has no segment ${index}`);
    return segment;
  }
}

/** After a failed fsync the page cache's state is unknown: the bytes may or may not survive a restart. */
export class SyncError extends Error {
  override readonly name = 'SyncError';
}

/** If another program truncated or extended the file, the next event would be written where no reader finds it. */
function assertUnchangedSize({ handle, path, size }: Segment): void {
  const found = fstatSync(handle.fd).size;
  if (found !== size)
    throw new Error(`${path} has ${found} bytes in place of ${size}: another program has changed it`);
}

async function sync(segment: Segment): Promise<void> {
  try {
    await segment.handle.datasync();
  } catch (error) {
    throw new SyncError(`fsync of ${segment.path} failed`, { cause: error });
  }
}

async function writeAll(segment: Segment, buffers: Buffer[], length: number): Promise<void> {
  const { bytesWritten } = await segment.handle.writev(buffers, segment.size);
  if (bytesWritten === length) return;
  // after a short write, the next write succeeds or shows the error
  const rest = Buffer.concat(buffers).subarray(bytesWritten);
  await writeAt(segment.handle, rest, segment.size + bytesWritten);
}

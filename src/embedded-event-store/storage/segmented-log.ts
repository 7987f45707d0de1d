import { fstatSync, readSync } from 'node:fs';
import { rm, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { syncDirectory } from './directory.js';
import { readAt, writeAt, writeWhole } from './file-bytes.js';
import { CURRENT_FORMAT, type FrameFormat } from './frame.js';
import { recoverSegments, type RecoveryEvents } from './recovery.js';
import { createSegment, segmentPath, type Segment } from './segment.js';

/** Bytes that are written again to prove that the disk takes writes: an end mark, mostly. */
const PROOF_LENGTH = 32;
/** Bytes that are written to prove that there is room: many appends. */
const ROOM_LENGTH = 128 * 1024;
/** Bytes of free space below which nobody relies on what the file system says of it. */
const LITTLE_ROOM = 4 * ROOM_LENGTH;

/** The files of the log as one row of bytes. Positions are offsets into that row. Not safe for two writers at a time. */
export class SegmentedLog {
  private constructor(
    private readonly dir: string,
    private readonly segments: Segment[],
    private readonly fsync: boolean,
    /** There was no log when it was opened. */
    readonly isNew: boolean,
    private cutLater: (() => Promise<void>) | undefined,
  ) {}

  /** Opens or creates the log of a directory; see recovery.ts for what is thrown and logged. */
  static async open(dir: string, fsync: boolean, events: RecoveryEvents): Promise<SegmentedLog> {
    const { segments, cutLater } = await recoverSegments(dir, events);
    const isNew = segments.length === 0;
    if (isNew) segments.push(await createSegment(dir, 0));
    return new SegmentedLog(dir, segments, fsync, isNew, cutLater);
  }

  /** Position behind the last byte. */
  get end(): number {
    const { base, size } = this.#current;
    return base + size;
  }

  /** Position of the first byte of the segment that is written to. */
  get segmentBase(): number {
    return this.#current.base;
  }

  /** What comes next belongs into another segment: this one is of a version that is not written any more. */
  get mustRoll(): boolean {
    return this.#current.format !== CURRENT_FORMAT;
  }

  /** Appends bytes and makes them durable. After an error `truncate` must be called before the next write. */
  async write(buffers: Buffer[], length: number): Promise<void> {
    const segment = this.#current;
    await this.#cutTail();
    refuseOtherSize(segment);
    await writeAll(segment, buffers, length);
    if (this.fsync) await sync(segment);
    segment.size += length;
  }

  /** Forgets what a failed write may have left behind the end, for good: it does not come back after a power failure. */
  async truncate(): Promise<void> {
    // Nothing was written behind a tail that could not be kept elsewhere.
    if (this.cutLater) return;
    const segment = this.#current;
    await segment.handle.truncate(segment.size);
    if (this.fsync) await sync(segment);
  }

  /**
   * Writes the last bytes of the log again, which changes nothing, and syncs them. Where little room is left, it proves
   * besides that there is some. Rejects as `write` does.
   */
  async proveWritable(): Promise<void> {
    const segment = this.#current;
    if (!this.cutLater) refuseOtherSize(segment);
    const from = Math.max(0, segment.size - PROOF_LENGTH);
    await writeAt(segment.handle, await readAt(segment.handle, from, segment.size - from), from);
    if (this.fsync) await sync(segment);
    const { bavail, bsize } = await statfs(this.dir);
    if (bavail * bsize < LITTLE_ROOM) await this.proveRoom();
  }

  /** Rejects with the disk's error when there is no room for further appends. */
  async proveRoom(): Promise<void> {
    await this.#cutTail();
    const path = join(this.dir, 'room');
    await writeWhole(path, Buffer.alloc(ROOM_LENGTH));
    await rm(path);
  }

  /** Ends the current segment and begins the next one at the present end. */
  async roll(): Promise<void> {
    await this.#cutTail();
    const base = this.end;
    try {
      this.segments.push(await createSegment(this.dir, base));
    } catch (error) {
      await this.#forgetSegment(base);
      throw error;
    }
  }

  /**
   * Bytes of the log, which must lie within one segment, as those of one frame do. Undefined: the file ends in front of
   * their end, since it was cut while the store had it open.
   */
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

  /** As `read`, at once; for the few decisions that cannot wait. */
  readSync(position: number, length: number): Buffer | undefined {
    const segment = this.#segmentOf(position);
    const bytes = Buffer.alloc(length);
    const bytesRead = readSync(segment.handle.fd, bytes, 0, length, position - segment.base);
    return bytesRead === length ? bytes : undefined;
  }

  /** The format of the segment that a position lies in. */
  formatAt(position: number): FrameFormat {
    return this.#segmentOf(position).format;
  }

  /** Whether two positions lie in one segment. */
  sameSegment(a: number, b: number): boolean {
    return this.#segmentOf(a) === this.#segmentOf(b);
  }

  async close(): Promise<void> {
    await Promise.all(this.segments.map((segment) => segment.handle.close()));
  }

  async #cutTail(): Promise<void> {
    await this.cutLater?.();
    this.cutLater = undefined;
  }

  /** Removes a segment whose creation failed: it must not be found when the one in front of it has grown. */
  async #forgetSegment(base: number): Promise<void> {
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

/** An fsync that failed leaves the page cache in an unknown state: what was written may be there after a restart or not. */
export class SyncError extends Error {
  override readonly name = 'SyncError';
}

/** Whoever cuts or writes on the file from outside would have the next event land where nobody finds it. */
function refuseOtherSize({ handle, path, size }: Segment): void {
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
  // a short write: the next one meets the reason, or goes through
  const rest = Buffer.concat(buffers).subarray(bytesWritten);
  await writeAt(segment.handle, rest, segment.size + bytesWritten);
}

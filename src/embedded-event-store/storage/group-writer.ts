import { DiskFullError, StoreUnavailableError } from '../errors.js';
import { isNoSpace } from './no-space.js';
import { SEGMENT_HEADER_LENGTH } from './segment.js';
import { SyncError, type SegmentedLog } from './segmented-log.js';

const MAX_BATCH_LENGTH = 8 * 1024 * 1024;

export interface Place {
  position: number;
  opensSegment: boolean;
}

export interface QueuedFrame extends Place {
  bytes: Buffer;
  committed(): void;
  failed(error: Error): void;
}

export interface GroupWriterEvents {
  onCommitted(): void;
  onLost(error: Error): void;
  /** The writer has stopped for good: only a restart finds out which bytes are on disk. */
  onBroken(error: StoreUnavailableError): void;
  onRoom(): void;
}

/** A successful write proves the disk writable for this time. */
const PROOF_MS = 1_000;
const ROOM_MS = 500;

/**
 * Group commit: while one batch is written and synced, the frames of the next batch gather.
 *
 * On a full disk the writer truncates the file to its durable end and fails all queued appends with DiskFullError.
 * The next append tries again, and the writer polls for free space. After any other error, above all of an fsync, the
 * file's state is unknown. Then every append fails with StoreUnavailableError until a restart and its recovery.
 */
export class GroupWriter {
  #queue: QueuedFrame[] = [];
  #running: Promise<void> | undefined;
  #broken: StoreUnavailableError | undefined;
  #tail: number;
  #segmentBase: number;
  #waiting = 0;
  #full: DiskFullError | undefined;
  #roomTimer: NodeJS.Timeout | undefined;
  #isLooking = false;
  #wroteAt = -Infinity;
  #proof: PromiseWithResolvers<void> | undefined;

  constructor(
    private readonly log: Pick<
      SegmentedLog,
      'end' | 'segmentBase' | 'write' | 'truncate' | 'roll' | 'mustRoll' | 'proveWritable' | 'proveRoom'
    >,
    private readonly segmentLength: number,
    private readonly events: GroupWriterEvents,
  ) {
    this.#tail = log.end;
    this.#segmentBase = log.segmentBase;
  }

  get broken(): StoreUnavailableError | undefined {
    return this.#broken;
  }

  get backlog(): number {
    return this.#waiting;
  }

  place(lengthAt: (position: number) => number): Place {
    const position = this.#tail;
    const isFirst = position === this.#segmentBase + SEGMENT_HEADER_LENGTH;
    const mustRoll = this.log.mustRoll && this.#segmentBase === this.log.segmentBase;
    const fits = isFirst || position + lengthAt(position) <= this.#segmentBase + this.segmentLength;
    if (fits && !mustRoll) {
      return { position, opensSegment: false };
    }
    return { position: position + SEGMENT_HEADER_LENGTH, opensSegment: true };
  }

  enqueue(frame: QueuedFrame): void {
    if (frame.opensSegment) this.#segmentBase = this.#tail;
    this.#tail = frame.position + frame.bytes.length;
    this.#waiting += frame.bytes.length;
    this.#queue.push(frame);
    this.#running ??= this.#run();
  }

  /**
   * Resolves if a write succeeded within the last second, or a probe that changes nothing succeeds now.
   * @throws {DiskFullError}
   * @throws {StoreUnavailableError}
   */
  async proveWritable(): Promise<void> {
    const fault = this.#broken ?? this.#full;
    if (fault) throw fault;
    if (performance.now() - this.#wroteAt < PROOF_MS) return;
    this.#proof ??= Promise.withResolvers();
    const { promise } = this.#proof;
    this.#running ??= this.#run();
    await promise;
  }

  break(cause: Error): void {
    if (!this.#broken) this.events.onBroken(this.#stopWriting(cause));
  }

  stopLooking(): void {
    clearInterval(this.#roomTimer);
    this.#roomTimer = undefined;
  }

  async drained(): Promise<void> {
    await this.#running;
  }

  async #run(): Promise<void> {
    while (this.#queue.length > 0 || this.#proof) {
      const batch = this.#takeBatch();
      try {
        await this.#write(batch);
      } catch (error) {
        await this.#fail(batch, error as Error);
        continue;
      }
      this.#wroteAt = performance.now();
      this.#proof?.resolve();
      this.#proof = undefined;
      this.#waiting -= lengthOf(batch);
      if (batch.length === 0) continue;
      for (const frame of batch) frame.committed();
      this.events.onCommitted();
    }
    this.#running = undefined;
  }

  async #write(batch: QueuedFrame[]): Promise<void> {
    if (batch.length === 0) return this.log.proveWritable();
    if (batch[0]?.opensSegment) await this.log.roll();
    await this.log.write(
      batch.map((frame) => frame.bytes),
      lengthOf(batch),
    );
  }

  #takeBatch(): QueuedFrame[] {
    let length = 0;
    const end = this.#queue.findIndex((frame, index) => {
      length += frame.bytes.length;
      return index > 0 && (frame.opensSegment || length > MAX_BATCH_LENGTH);
    });
    return this.#queue.splice(0, end < 0 ? this.#queue.length : end);
  }

  async #fail(batch: QueuedFrame[], cause: Error): Promise<void> {
    const lost = await this.#verdict(cause);
    const frames = [...batch, ...this.#queue];
    this.#queue = [];
    this.#waiting = 0;
    this.#tail = this.log.end;
    this.#segmentBase = this.log.segmentBase;
    this.events.onLost(lost);
    for (const frame of frames) frame.failed(lost);
    this.#proof?.reject(lost);
    this.#proof = undefined;
    if (lost instanceof DiskFullError) this.#lookForRoom(lost);
    else this.events.onBroken(lost);
  }

  #lookForRoom(full: DiskFullError): void {
    this.#full = full;
    this.#roomTimer ??= setInterval(() => void this.#look(), ROOM_MS).unref();
  }

  async #look(): Promise<void> {
    if (this.#isLooking) return;
    this.#isLooking = true;
    try {
      await this.log.proveRoom();
      this.#full = undefined;
      this.stopLooking();
      this.events.onRoom();
    } catch (error) {
      if (!isNoSpace(error)) this.break(error as Error);
    } finally {
      this.#isLooking = false;
    }
  }

  async #verdict(cause: Error): Promise<DiskFullError | StoreUnavailableError> {
    if (!(cause instanceof SyncError) && isNoSpace(cause)) {
      try {
        await this.log.truncate();
        return new DiskFullError(cause);
      } catch (error) {
        cause = error as Error;
      }
    }
    return this.#stopWriting(cause);
  }

  #stopWriting(cause: Error): StoreUnavailableError {
    this.stopLooking();
    this.#broken = new StoreUnavailableError(
      `the event store stopped writing after an I/O error (${cause.message}): check the disk, then restart it`,
      { cause },
    );
    return this.#broken;
  }
}

function lengthOf(frames: QueuedFrame[]): number {
  return frames.reduce((sum, frame) => sum + frame.bytes.length, 0);
}

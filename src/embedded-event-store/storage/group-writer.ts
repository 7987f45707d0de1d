import { DiskFullError, StoreUnavailableError } from '../errors.js';
import { isNoSpace } from './no-space.js';
import { SEGMENT_HEADER_LENGTH } from './segment.js';
import { SyncError, type SegmentedLog } from './segmented-log.js';

const MAX_BATCH_LENGTH = 8 * 1024 * 1024;

export interface Place {
  /** Where the frame starts. */
  position: number;
  /** Whether a new segment begins in front of it. */
  opensSegment: boolean;
}

export interface QueuedFrame extends Place {
  bytes: Buffer;
  /** Called once the frame is durable. */
  committed(): void;
  /** Called when the frame is not, or may not be, in the log. */
  failed(error: Error): void;
}

export interface GroupWriterEvents {
  /** A batch is durable, and each of its frames has been told. */
  onCommitted(): void;
  /** All frames queued until now are about to be told that they failed. */
  onLost(error: Error): void;
  /** Nothing is written any more, for good: only a restart finds out what is on the disk. */
  onBroken(error: StoreUnavailableError): void;
  /** There is room again on the disk that was full. */
  onRoom(): void;
}

/** How long a write proves that the disk takes writes. */
const PROOF_MS = 1_000;
/** How often a full disk is looked at. */
const ROOM_MS = 500;

/**
 * Group commit: while one batch is being written and synced, the frames of the next one gather.
 *
 * When the disk is full, nothing of the batch at hand or of what waits behind it is kept: the file is cut back to its
 * durable end, all those appends fail with DiskFullError, and the next append tries again; meanwhile the writer looks by
 * itself whether there is room. After any other failure, an fsync's above all, the state of the file is unknown: every
 * append fails with StoreUnavailableError until a restart, whose recovery looks at what is really there.
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
  /** When the disk last took a write; on the clock of `performance.now`. */
  #wroteAt = -Infinity;
  /** Somebody waits for a write. */
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

  /** Why nothing can be appended any more, or undefined. */
  get broken(): StoreUnavailableError | undefined {
    return this.#broken;
  }

  /** Bytes waiting to be written. */
  get backlog(): number {
    return this.#waiting;
  }

  /** The place that the next frame takes; `lengthAt` says how long it is at a position. */
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

  /** Queues a frame that was made for the place last given. */
  enqueue(frame: QueuedFrame): void {
    if (frame.opensSegment) this.#segmentBase = this.#tail;
    this.#tail = frame.position + frame.bytes.length;
    this.#waiting += frame.bytes.length;
    this.#queue.push(frame);
    this.#running ??= this.#run();
  }

  /**
   * Resolves if the disk took a write within the last second, or takes one now that changes nothing. Rejects with
   * DiskFullError and StoreUnavailableError.
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

  /** Writes nothing any more: the disk has shown that it cannot be relied on. */
  break(cause: Error): void {
    if (!this.#broken) this.events.onBroken(this.#stopWriting(cause));
  }

  /** Looks for room no more. */
  stopLooking(): void {
    clearInterval(this.#roomTimer);
    this.#roomTimer = undefined;
  }

  /** Resolves when nothing is queued any more. */
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

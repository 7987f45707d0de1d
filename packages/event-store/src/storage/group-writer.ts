import { DiskFullError, StoreUnavailableError } from '../errors.js';
import { isNoSpace } from './no-space.js';
import { SEGMENT_HEADER_LENGTH } from './segment.js';
import { SyncError, type SegmentedLog } from './segmented-log.js';

const MAX_BATCH_LENGTH = 8 * 1024 * 1024;

export interface FramePlace {
  position: number;
  opensSegment: boolean;
}

export interface QueuedFrame extends FramePlace {
  bytes: Buffer;
  onDurable(): void;
  onFailed(error: Error): void;
}

export interface GroupWriterEvents {
  onCommitted(): void;
  onAppendsFailed(error: Error): void;
  /**
   * Called once when the writer has stopped for good. Only a restart with its recovery finds out which bytes are on
   * disk.
   */
  onBroken(error: StoreUnavailableError): void;
  onSpaceAvailable(): void;
}

/** For so long after a successful write, the disk counts as writable without a probe. */
const PROBE_VALID_MS = 1_000;
const SPACE_CHECK_MS = 500;

/**
 * Group commit: while one batch of frames is written and synced, the frames of the next batch are collected.
 *
 * If the disk is full, the writer truncates the file to its durable end and fails all queued appends with
 * DiskFullError. The next append tries again, and the writer polls for free space. After any other error, above all
 * of an fsync, the state of the file is unknown. Then every append fails with StoreUnavailableError until a restart
 * and its recovery.
 */
export class GroupWriter {
  #queue: QueuedFrame[] = [];
  #running: Promise<void> | undefined;
  #broken: StoreUnavailableError | undefined;
  #tail: number;
  #segmentBase: number;
  #backlog = 0;
  #diskFull: DiskFullError | undefined;
  #spaceTimer: NodeJS.Timeout | undefined;
  #isCheckingSpace = false;
  #lastWriteAt = -Infinity;
  #probe: PromiseWithResolvers<void> | undefined;

  constructor(
    private readonly log: Pick<
      SegmentedLog,
      'end' | 'segmentBase' | 'write' | 'truncate' | 'roll' | 'mustRoll' | 'probeWrite' | 'probeSpace'
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
    return this.#backlog;
  }

  place(lengthAt: (position: number) => number): FramePlace {
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
    this.#backlog += frame.bytes.length;
    this.#queue.push(frame);
    this.#running ??= this.#run();
  }

  /**
   * Resolves if a write succeeded within the last second, or if a probe now succeeds, which changes nothing in the
   * log.
   * @throws {DiskFullError}
   * @throws {StoreUnavailableError}
   */
  async probeWrite(): Promise<void> {
    const error = this.#broken ?? this.#diskFull;
    if (error) throw error;
    if (performance.now() - this.#lastWriteAt < PROBE_VALID_MS) return;
    this.#probe ??= Promise.withResolvers();
    const { promise } = this.#probe;
    this.#running ??= this.#run();
    await promise;
  }

  break(cause: Error): void {
    if (!this.#broken) this.events.onBroken(this.#stopWriting(cause));
  }

  stopSpaceChecks(): void {
    clearInterval(this.#spaceTimer);
    this.#spaceTimer = undefined;
  }

  async drained(): Promise<void> {
    await this.#running;
  }

  async #run(): Promise<void> {
    while (this.#queue.length > 0 || this.#probe) {
      const batch = this.#takeBatch();
      try {
        await this.#write(batch);
      } catch (error) {
        await this.#fail(batch, error as Error);
        continue;
      }
      this.#lastWriteAt = performance.now();
      this.#probe?.resolve();
      this.#probe = undefined;
      this.#backlog -= lengthOf(batch);
      if (batch.length === 0) continue;
      for (const frame of batch) frame.onDurable();
      this.events.onCommitted();
    }
    this.#running = undefined;
  }

  async #write(batch: QueuedFrame[]): Promise<void> {
    if (batch.length === 0) return this.log.probeWrite();
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
    const error = await this.#classify(cause);
    const frames = [...batch, ...this.#queue];
    this.#queue = [];
    this.#backlog = 0;
    this.#tail = this.log.end;
    this.#segmentBase = this.log.segmentBase;
    this.events.onAppendsFailed(error);
    for (const frame of frames) frame.onFailed(error);
    this.#probe?.reject(error);
    this.#probe = undefined;
    if (error instanceof DiskFullError) this.#startSpaceChecks(error);
    else this.events.onBroken(error);
  }

  #startSpaceChecks(full: DiskFullError): void {
    this.#diskFull = full;
    this.#spaceTimer ??= setInterval(() => void this.#checkSpace(), SPACE_CHECK_MS).unref();
  }

  async #checkSpace(): Promise<void> {
    if (this.#isCheckingSpace) return;
    this.#isCheckingSpace = true;
    try {
      await this.log.probeSpace();
      this.#diskFull = undefined;
      this.stopSpaceChecks();
      this.events.onSpaceAvailable();
    } catch (error) {
      if (!isNoSpace(error)) this.break(error as Error);
    } finally {
      this.#isCheckingSpace = false;
    }
  }

  async #classify(cause: Error): Promise<DiskFullError | StoreUnavailableError> {
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
    this.stopSpaceChecks();
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

import { StoreUnavailableError } from '../errors.js';
import { eachRecord, encodeFrame } from './append-frame.js';
import type { EventIndex } from './event-index.js';
import { FRAME_HEADER_LENGTH } from './frame.js';
import { GroupWriter, type GroupWriterEvents } from './group-writer.js';
import { InFlight, type InFlightAppend } from './in-flight.js';
import type { RecordReader } from './record-reader.js';
import { RecordView, type NewRecord } from './record.js';
import type { SegmentedLog } from './segmented-log.js';
import { originalStreamOf, parseMetadata } from './stream-metadata.js';
import { StreamStates } from './stream-states.js';

const IDLE_MS = 1_000;

/**
 * Writes records to the log. They get their positions at once, and enter the index, where readers see them, once they
 * are durable.
 */
export class Committer {
  readonly states: StreamStates;
  readonly #inFlight = new InFlight();
  readonly #writer: GroupWriter;
  readonly #view = new RecordView();
  readonly #onCommit = new Set<() => void>();
  #closing = false;
  #endMarked = false;
  #idle: NodeJS.Timeout | undefined;

  constructor(
    private readonly index: EventIndex,
    private readonly log: SegmentedLog,
    records: RecordReader,
    segmentLength: number,
    on: Pick<GroupWriterEvents, 'onAppendsFailed' | 'onBroken' | 'onSpaceAvailable'>,
  ) {
    this.states = new StreamStates(index, this.#inFlight, (ordinal) => records.readSync(ordinal));
    this.#writer = new GroupWriter(log, segmentLength, {
      onCommitted: () => {
        this.#markEndWhenIdle();
        for (const wake of this.#onCommit) wake();
      },
      onAppendsFailed: (error) => {
        this.#inFlight.clear();
        on.onAppendsFailed(error);
      },
      onBroken: (error) => on.onBroken(error),
      onSpaceAvailable: () => on.onSpaceAvailable(),
    });
  }

  get backlog(): number {
    return this.#writer.backlog;
  }

  onCommit(wake: () => void): () => void {
    this.#onCommit.add(wake);
    return () => this.#onCommit.delete(wake);
  }

  assertWritable(): void {
    if (this.#writer.broken) throw this.#writer.broken;
    if (this.#closing)
      throw new StoreUnavailableError('the append was refused: the event store is shutting down');
  }

  /**
   * Appends records as one frame, all or none. Checks of later appends see them at once (`states`). Returns their
   * positions once they are durable.
   * @throws {AppendTooLargeError}
   * @throws {DiskFullError}
   * @throws {StoreUnavailableError}
   */
  async commit(records: readonly NewRecord[]): Promise<number[]> {
    const frame = encodeFrame(records, this.#writer, this.log.end);
    this.#endMarked = false;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const append: InFlightAppend = { done: promise };
    const streams = this.#addInFlight(records, frame.positions, append);
    this.#writer.enqueue({
      ...frame,
      onFailed: reject,
      onDurable: () => {
        eachRecord(frame.bytes, FRAME_HEADER_LENGTH, frame.bytes.length, (at, length) =>
          this.index.add(this.#view.at(frame.bytes, at), length),
        );
        this.#inFlight.remove(
          append,
          streams,
          records.map((record) => record.id),
        );
        resolve();
      },
    });
    await promise;
    return frame.positions;
  }

  break(cause: Error): void {
    this.#writer.break(cause);
  }

  async probeWrite(): Promise<void> {
    await this.#writer.probeWrite();
  }

  async stopAccepting(): Promise<void> {
    this.#closing = true;
    this.#writer.stopSpaceChecks();
    clearTimeout(this.#idle);
    await this.#writer.drained();
  }

  /**
   * Appends an end mark, unless the log ends with one. It proves that all earlier events are durable, so that
   * recovery distinguishes damage from a torn tail. Resolves even if the write fails.
   */
  async markEnd(): Promise<void> {
    if (this.#writer.broken || this.#endMarked) return;
    this.#endMarked = true;
    const mark = encodeFrame([], this.#writer, this.log.end);
    await new Promise<void>((resolve) => {
      const failed = (): void => {
        this.#endMarked = false;
        resolve();
      };
      this.#writer.enqueue({ ...mark, onDurable: resolve, onFailed: failed });
    });
  }

  #markEndWhenIdle(): void {
    clearTimeout(this.#idle);
    if (this.#endMarked || this.#closing) return;
    this.#idle = setTimeout(() => void this.markEnd(), IDLE_MS).unref();
  }

  #addInFlight(
    records: readonly NewRecord[],
    positions: readonly number[],
    append: InFlightAppend,
  ): Set<string> {
    const streams = new Set<string>();
    for (const [i, { stream, revision, createdMs, id, data, isJson }] of records.entries()) {
      const name = stream.toString();
      streams.add(name);
      const raw = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
      const isMetadata = originalStreamOf(name) !== undefined;
      this.#inFlight.setStream(name, {
        lastRevision: revision,
        lastCreatedMs: createdMs,
        append,
        ...(isMetadata ? { metadata: { value: parseMetadata(raw, isJson), data: raw } } : {}),
      });
      this.#inFlight.setEvent(id, { stream: name, revision, position: positions[i] ?? 0, append });
    }
    return streams;
  }
}

import { mkdir } from 'node:fs/promises';
import { StoreUnavailableError } from '../errors.js';
import { eachRecord, encodeFrame } from './append-frame.js';
import { lockDirectory } from './directory-lock.js';
import { EventIndex, STREAM_DELETED_TYPE } from './event-index.js';
import { checkAppend, type ExpectedRevision, type Verdict } from './expected-revision.js';
import { FRAME_HEADER_LENGTH } from './frame.js';
import { GroupWriter } from './group-writer.js';
import { InFlight, type InFlightAppend } from './in-flight.js';
import { RecordReader } from './record-reader.js';
import { RecordView, type NewRecord } from './record.js';
import { SegmentedLog } from './segmented-log.js';
import {
  metastreamOf,
  originalOf,
  parseMetadata,
  SOFT_DELETE_JSON,
  withTruncateBefore,
} from './stream-metadata.js';
import { StreamStates } from './stream-states.js';
import { TOMBSTONE_REVISION } from './wire.js';

export interface StoreOptions {
  /** Created if it is not there. One store at a time may have it open. */
  dir: string;
  /** False gives up durability against power failure, for tests and measurements. Default true. */
  fsync?: boolean;
  /** Bytes after which the log continues in another file. */
  segmentLength?: number;
  log: (level: 'info' | 'warn' | 'error', message: string, fields: Record<string, unknown>) => void;
  /** Time of the events; milliseconds are kept. */
  now: () => { getTime(): number };
  /** Ids of the events that the store makes itself, on deletion. */
  newId: () => string;
}

export interface ProposedEvent {
  /** Canonical text of a UUID. */
  id: string;
  type: string;
  isJson: boolean;
  data: Uint8Array;
  metadata: Uint8Array;
}

export type AppendResult =
  /** Durable. `revision` and `position` are those of the last event; undefined position for an append of no events. */
  | { kind: 'appended'; revision: number; position: number | undefined }
  /** `current` is the stream's last revision, -1 without any. */
  | { kind: 'wrong-expected-revision'; current: number }
  | { kind: 'deleted' };

const DEFAULT_SEGMENT_LENGTH = 256 * 1024 * 1024;
const METADATA_TYPE = '$metadata';
const NOTHING = new Uint8Array(0);

/**
 * Opens the event store of a directory: takes its lock, reads the log, indexes it.
 * Throws DirectoryLockedError and CorruptLogError.
 */
export async function openStore(options: StoreOptions): Promise<Store> {
  await mkdir(options.dir, { recursive: true });
  const unlock = lockDirectory(options.dir);
  try {
    const index = new EventIndex();
    const view = new RecordView();
    const log = await SegmentedLog.open(options.dir, options.fsync ?? true, {
      onPayload: (bytes, start, end) =>
        eachRecord(bytes, start, end, (at, length) => index.add(view.at(bytes, at), length)),
      onTornTail: (tail) =>
        options.log(
          'warn',
          'cut the torn tail of an interrupted write off the event log; nothing acknowledged is lost',
          tail,
        ),
    });
    return new Store(options, index, log, unlock);
  } catch (error) {
    unlock();
    throw error;
  }
}

/**
 * The storage core. An append is checked and given its place at once, in the order of the calls; its promise settles, and
 * readers see it, when it is durable. Reading goes through `index`, which holds durable events only, and `records`.
 */
export class Store {
  readonly records: RecordReader;
  readonly #writer: GroupWriter;
  readonly #inFlight = new InFlight();
  readonly #states: StreamStates;
  readonly #view = new RecordView();
  readonly #onCommit = new Set<() => void>();
  #closing = false;

  constructor(
    private readonly options: StoreOptions,
    readonly index: EventIndex,
    private readonly log: SegmentedLog,
    private readonly unlock: () => void,
  ) {
    this.records = new RecordReader(index, log);
    this.#states = new StreamStates(index, this.#inFlight, (ordinal) => this.records.readSync(ordinal));
    this.#writer = new GroupWriter(log, options.segmentLength ?? DEFAULT_SEGMENT_LENGTH, (outcome, error) => {
      if (outcome === 'committed') for (const wake of this.#onCommit) wake();
      else {
        this.#inFlight.clear();
        options.log('error', 'appends were refused: the log could not be written', { error: error?.message });
      }
    });
  }

  /** Milliseconds since the epoch. */
  now(): number {
    return this.options.now().getTime();
  }

  newId(): string {
    return this.options.newId();
  }

  /** Bytes accepted and not yet durable; appending calls should pause while there are many. */
  get backlog(): number {
    return this.#writer.backlog;
  }

  /** Resolves when everything accepted is durable or refused. */
  async drained(): Promise<void> {
    await this.#writer.drained();
  }

  /** Calls `wake` after each commit until the returned function is called. */
  onCommit(wake: () => void): () => void {
    this.#onCommit.add(wake);
    return () => this.#onCommit.delete(wake);
  }

  /** Appends events to a stream, all or none. Rejects with DiskFullError and StoreUnavailableError. */
  async append(
    stream: string,
    expected: ExpectedRevision,
    events: readonly ProposedEvent[],
  ): Promise<AppendResult> {
    this.#assertWritable();
    const verdict = checkAppend(
      this.#states,
      stream,
      expected,
      events.map((event) => event.id),
    );
    if (verdict.kind !== 'append') return settle(verdict);
    if (events.length === 0) return { kind: 'appended', revision: verdict.current, position: undefined };
    const records = events.map((event, i) => this.#record(stream, verdict.current + 1 + i, event));
    const comeback = this.#comeback(stream, verdict, events);
    const positions = await this.#commit(comeback ? [...records, comeback] : records);
    return {
      kind: 'appended',
      revision: verdict.current + events.length,
      position: positions[events.length - 1],
    };
  }

  /** Marks all events of a stream as deleted; a later append brings the stream back, its revisions going on. */
  async deleteStream(stream: string, expected: ExpectedRevision): Promise<AppendResult> {
    this.#assertWritable();
    const id = this.newId();
    const verdict = checkAppend(this.#states, stream, expected, [id]);
    if (verdict.kind !== 'append') return settle(verdict);
    const metastream = metastreamOf(stream);
    const revision = this.#states.lastRevision(metastream) + 1;
    if (verdict.current < 0 && revision === 0) return { kind: 'wrong-expected-revision', current: -1 };
    return this.#commitOne(this.#metadataRecord(metastream, revision, SOFT_DELETE_JSON, id));
  }

  /** Closes a stream's name for good. */
  async tombstoneStream(stream: string, expected: ExpectedRevision): Promise<AppendResult> {
    this.#assertWritable();
    const id = this.newId();
    const verdict = checkAppend(this.#states, stream, expected, [id]);
    if (verdict.kind !== 'append') return settle(verdict);
    const event = { id, type: STREAM_DELETED_TYPE, isJson: false, data: NOTHING, metadata: NOTHING };
    return this.#commitOne(this.#record(stream, TOMBSTONE_REVISION, event));
  }

  /** Refuses new appends, finishes those under way, marks the log as cleanly closed and gives the directory back. */
  async close(): Promise<void> {
    if (this.#closing) return;
    this.#closing = true;
    await this.#writer.drained();
    if (!this.#writer.broken) await this.#markCleanEnd();
    await this.log.close();
    this.unlock();
  }

  /** An empty frame whose `durable` mark covers everything: damage in front of it is told from a torn tail. */
  async #markCleanEnd(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#writer.enqueue({
        ...encodeFrame([], this.#writer, this.log.end),
        committed: resolve,
        failed: () => resolve(),
      });
    });
  }

  #assertWritable(): void {
    if (this.#closing) throw new StoreUnavailableError('the event store is shutting down');
    if (this.#writer.broken) throw this.#writer.broken;
  }

  /** The metadata event by which an append brings a soft-deleted stream back, if it does. */
  #comeback(
    stream: string,
    verdict: { current: number; softDeleted: boolean },
    events: readonly ProposedEvent[],
  ): NewRecord | undefined {
    const original = originalOf(stream);
    const metastream = metastreamOf(stream);
    if (verdict.softDeleted) {
      const raw = this.#states.rawMetadata(stream);
      const json = raw && withTruncateBefore(raw, verdict.current + 1);
      return (
        json &&
        this.#metadataRecord(metastream, this.#states.lastRevision(metastream) + 1, json, this.newId())
      );
    }
    if (original !== undefined && this.#states.isSoftDeleted(original)) {
      const raw = Buffer.from(events.at(-1)?.data ?? NOTHING);
      const json = withTruncateBefore(raw, this.#states.lastRevision(original) + 1);
      return json && this.#metadataRecord(stream, verdict.current + 1 + events.length, json, this.newId());
    }
    return undefined;
  }

  #metadataRecord(metastream: string, revision: number, data: Buffer, id: string): NewRecord {
    return this.#record(metastream, revision, {
      id,
      type: METADATA_TYPE,
      isJson: true,
      data,
      metadata: NOTHING,
    });
  }

  #record(stream: string, revision: number, event: ProposedEvent): NewRecord {
    return {
      ...event,
      stream: Buffer.from(stream),
      type: Buffer.from(event.type),
      revision,
      createdMs: this.now(),
    };
  }

  async #commitOne(record: NewRecord): Promise<AppendResult> {
    const [position] = await this.#commit([record]);
    return { kind: 'appended', revision: record.revision, position };
  }

  /** Puts records into the log as one frame; resolves with their positions when they are durable. */
  async #commit(records: readonly NewRecord[]): Promise<number[]> {
    const frame = encodeFrame(records, this.#writer, this.log.end);
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const append: InFlightAppend = { done: promise };
    const streams = this.#takeOff(records, frame.positions, append);
    this.#writer.enqueue({
      ...frame,
      failed: reject,
      committed: () => {
        eachRecord(frame.bytes, FRAME_HEADER_LENGTH, frame.bytes.length, (at, length) =>
          this.index.add(this.#view.at(frame.bytes, at), length),
        );
        this.#inFlight.landed(
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

  /** Lets further appends see these records from now on; returns the names of their streams. */
  #takeOff(records: readonly NewRecord[], positions: readonly number[], append: InFlightAppend): Set<string> {
    const streams = new Set<string>();
    for (const [i, { stream, revision, id, data, isJson }] of records.entries()) {
      const name = stream.toString();
      streams.add(name);
      const raw = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
      const metadata =
        originalOf(name) === undefined ? {} : { metadata: { value: parseMetadata(raw, isJson), data: raw } };
      this.#inFlight.setStream(name, { lastRevision: revision, append, ...metadata });
      this.#inFlight.setEvent(id, { stream: name, revision, position: positions[i] ?? 0, append });
    }
    return streams;
  }
}

/** A repeated append is acknowledged with the first one, once that is durable. */
async function settle(verdict: Exclude<Verdict, { kind: 'append' }>): Promise<AppendResult> {
  if (verdict.kind !== 'repeated') return verdict;
  await verdict.last.append?.done;
  return { kind: 'appended', revision: verdict.last.revision, position: verdict.last.position };
}

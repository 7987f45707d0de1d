import type { StoreUnavailableError } from '../errors.js';
import { eachRecord } from './append-frame.js';
import { Committer } from './committer.js';
import { makeDirectory } from './directory.js';
import { lockDirectory } from './directory-lock.js';
import { EventIndex } from './event-index.js';
import { checkAppend, type ExpectedRevision, type Verdict } from './expected-revision.js';
import { NewRecords, type ProposedEvent } from './new-records.js';
import { RecordReader } from './record-reader.js';
import { RecordView, type NewRecord } from './record.js';
import { SegmentedLog } from './segmented-log.js';
import { metastreamOf, SOFT_DELETE_JSON } from './stream-metadata.js';

export type { ProposedEvent };

export interface StoreOptions {
  /** Created if it is not there, for its owner alone. One store at a time may have it open. */
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
  /** Called once when the log cannot be written any more: end the process, so that the next start recovers. */
  onBroken?: (error: StoreUnavailableError) => void;
}

export type AppendResult =
  /** Durable. `revision` and `position` are those of the last event; undefined position for an append of no events. */
  | { kind: 'appended'; revision: number; position: number | undefined }
  /** `current` is the stream's last revision, -1 without any. */
  | { kind: 'wrong-expected-revision'; current: number }
  | { kind: 'deleted' };

const DEFAULT_SEGMENT_LENGTH = 256 * 1024 * 1024;

/**
 * Opens the event store of a directory: takes its lock, reads the log, indexes it.
 * Throws DirectoryLockedError, CorruptLogError and StoreUnavailableError.
 */
export async function openStore(options: StoreOptions): Promise<Store> {
  await makeDirectory(options.dir);
  const unlock = lockDirectory(options.dir);
  try {
    const index = new EventIndex();
    const view = new RecordView();
    const log = await SegmentedLog.open(options.dir, options.fsync ?? true, {
      onPayload: (bytes, start, end, format) =>
        eachRecord(bytes, start, end, (at, length) => index.add(view.at(bytes, at), length), format),
      onTornTail: (tail) =>
        options.log('warn', tail.mayBeAcknowledged ? DAMAGED_TAIL_CUT : TORN_TAIL_CUT, { ...tail }),
      onEmptySegment: (removed) => options.log('warn', SEGMENT_REMOVED, removed),
      onTailLeft: (tail) => options.log('warn', TAIL_LEFT, { ...tail }),
    });
    return await Store.over(options, index, log, unlock);
  } catch (error) {
    unlock();
    throw error;
  }
}

const TORN_TAIL_CUT =
  'cut the torn tail of an interrupted write off the event log; nothing acknowledged is lost, unless the file was cut by other means';

const DAMAGED_TAIL_CUT =
  'cut a torn tail off the event log, in which acknowledged events may have been: it is kept aside; compare it with what is published before it is removed';
const SEGMENT_REMOVED =
  'removed the last file of the event log, which held no event: its creation was interrupted, or it was cut by other means';
const TAIL_LEFT =
  'the event log ends with a torn tail, and the disk is full: make room, then the tail is kept aside and the log can be written';

/**
 * The storage core. An append is checked and given its place at once, in the order of the calls; its promise settles, and
 * readers see it, when it is durable. Reading goes through `index`, which holds durable events only, and `records`.
 * Appends and deletions reject with AppendTooLargeError, DiskFullError and StoreUnavailableError.
 */
export class Store {
  readonly records: RecordReader;
  readonly #committer: Committer;
  readonly #newRecords: NewRecords;
  #closed: Promise<void> | undefined;

  /** Marks the end of the log first: what was found there is proven to be on disk. Throws StoreUnavailableError. */
  static async over(
    options: StoreOptions,
    index: EventIndex,
    log: SegmentedLog,
    unlock: () => void,
  ): Promise<Store> {
    const store = new Store(options, index, log, unlock);
    if (!log.isNew) await store.#committer.markEnd();
    try {
      store.#committer.assertWritable();
    } catch (error) {
      await log.close();
      throw error;
    }
    return store;
  }

  private constructor(
    private readonly options: StoreOptions,
    readonly index: EventIndex,
    private readonly log: SegmentedLog,
    private readonly unlock: () => void,
  ) {
    this.records = new RecordReader(index, log, (error) => {
      options.log('error', 'a stored event is damaged', { error: error.message, position: error.position });
      this.#committer.break(error);
    });
    const segmentLength = options.segmentLength ?? DEFAULT_SEGMENT_LENGTH;
    this.#committer = new Committer(index, log, this.records, segmentLength, {
      onLost: (error) =>
        options.log('error', 'appends failed: the log could not be written', { error: error.message }),
      onBroken: (error) => options.onBroken?.(error),
      onRoom: () => options.log('info', 'there is room on the disk of the event log again', {}),
    });
    this.#newRecords = new NewRecords(this.#committer.states, () => this.now(), options.newId);
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
    return this.#committer.backlog;
  }

  /** Refuses appends from now on; resolves when all that were accepted are durable or failed. */
  async refuseAppends(): Promise<void> {
    await this.#committer.refuse();
  }

  /** Calls `wake` after each commit until the returned function is called. */
  onCommit(wake: () => void): () => void {
    return this.#committer.onCommit(wake);
  }

  /** Appends events to a stream, all or none. */
  async append(
    stream: string,
    expected: ExpectedRevision,
    events: readonly ProposedEvent[],
  ): Promise<AppendResult> {
    const ids = events.map((event) => event.id);
    const verdict = this.#check(stream, expected, ids);
    if (verdict.kind !== 'append')
      return this.#settle(stream, verdict, () => this.append(stream, expected, events));
    const { current } = verdict;
    if (events.length === 0) return { kind: 'appended', revision: current, position: undefined };
    const records = this.#newRecords.of(stream, current + 1, events);
    const comeback = this.#newRecords.comeback(stream, verdict, events);
    const positions = await this.#committer.commit(comeback ? [...records, comeback] : records);
    return { kind: 'appended', revision: current + events.length, position: positions[events.length - 1] };
  }

  /** Marks all events of a stream as deleted; a later append brings the stream back, its revisions going on. */
  async deleteStream(stream: string, expected: ExpectedRevision): Promise<AppendResult> {
    const id = this.newId();
    const verdict = this.#check(stream, expected, [id]);
    if (verdict.kind !== 'append')
      return this.#settle(stream, verdict, () => this.deleteStream(stream, expected));
    const metastream = metastreamOf(stream);
    const revision = this.#committer.states.lastRevision(metastream) + 1;
    if (verdict.current < 0 && revision === 0) return { kind: 'wrong-expected-revision', current: -1 };
    return this.#commitOne(this.#newRecords.metadata(metastream, revision, SOFT_DELETE_JSON, id));
  }

  /** Closes a stream's name for good. */
  async tombstoneStream(stream: string, expected: ExpectedRevision): Promise<AppendResult> {
    const id = this.newId();
    const verdict = this.#check(stream, expected, [id]);
    if (verdict.kind !== 'append')
      return this.#settle(stream, verdict, () => this.tombstoneStream(stream, expected));
    return this.#commitOne(this.#newRecords.tombstone(stream, id));
  }

  /** Refuses new appends, finishes those under way, marks the log as cleanly closed and gives the directory back. */
  async close(): Promise<void> {
    this.#closed ??= this.#close();
    await this.#closed;
  }

  async #close(): Promise<void> {
    try {
      await this.#committer.refuse();
      await this.#committer.markEnd();
      await this.log.close();
    } finally {
      this.unlock();
    }
  }

  #check(stream: string, expected: ExpectedRevision, ids: readonly string[]): Verdict {
    this.#committer.assertWritable();
    return checkAppend(this.#committer.states, stream, expected, ids);
  }

  async #commitOne(record: NewRecord): Promise<AppendResult> {
    const [position] = await this.#committer.commit([record]);
    return { kind: 'appended', revision: record.revision, position };
  }

  /**
   * An answer is about what is durable: a repeated append is acknowledged with the first one, and a refusal that rests on
   * an append under way waits until that can be read; if that one fails, there is nothing to refuse for, and it is tried anew.
   */
  async #settle(
    stream: string,
    verdict: Exclude<Verdict, { kind: 'append' }>,
    again: () => Promise<AppendResult>,
  ): Promise<AppendResult> {
    if (verdict.kind === 'repeated') {
      await verdict.last.append?.done;
      return { kind: 'appended', revision: verdict.last.revision, position: verdict.last.position };
    }
    // Whoever expects a revision that the stream does not have learns whether the log could be written at all.
    if (verdict.kind === 'wrong-expected-revision') await this.#committer.proveWritable();
    const underWay = this.#committer.states.underWay(stream);
    if (!underWay) return verdict;
    const landed = await underWay.done.then(
      () => true,
      () => false,
    );
    return landed ? verdict : again();
  }
}

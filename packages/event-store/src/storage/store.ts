import type { StoreUnavailableError } from '../errors.js';
import { eachRecord } from './append-frame.js';
import { Committer } from './committer.js';
import { makeDirectory } from './directory.js';
import { lockDirectory } from './directory-lock.js';
import { EventIndex } from './event-index.js';
import { checkAppend, type ExpectedRevision, type AppendCheck } from './expected-revision.js';
import { RecordFactory, type ProposedEvent } from './record-factory.js';
import { RecordReader } from './record-reader.js';
import { RecordView, type NewRecord } from './record.js';
import { SegmentedLog } from './segmented-log.js';
import { metastreamOf, SOFT_DELETE_JSON } from './stream-metadata.js';

export type { ProposedEvent };

export interface StoreOptions {
  dir: string;
  /**
   * False: events that were acknowledged may be lost in a power failure; for tests and measurements. Default: true.
   */
  fsync?: boolean;
  segmentLength?: number;
  log: (level: 'info' | 'warn' | 'error', message: string, fields: Record<string, unknown>) => void;
  now: () => { getTime(): number };
  newId: () => string;
  /**
   * Called once when the log cannot be written any more. The process must end, so that the next start recovers the
   * log.
   */
  onBroken?: (error: StoreUnavailableError) => void;
}

export type AppendResult =
  /**
   * The append is durable. `revision` and `position` are those of its last event; an append without events has no
   * position.
   */
  | { kind: 'appended'; revision: number; position: number | undefined }
  | { kind: 'wrong-expected-revision'; current: number }
  | { kind: 'deleted' };

const DEFAULT_SEGMENT_LENGTH = 256 * 1024 * 1024;

/**
 * Locks the directory, recovers and reads the log, and indexes its events.
 * @throws {DirectoryLockedError}
 * @throws {CorruptLogError}
 * @throws {StoreUnavailableError}
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
      onTailPending: (tail) => options.log('warn', TAIL_PENDING, { ...tail }),
    });
    return await Store.over(options, index, log, unlock);
  } catch (error) {
    unlock();
    throw error;
  }
}

const TORN_TAIL_CUT =
  'cut the torn tail of an interrupted write off the event log; nothing acknowledged is lost, unless another program truncated the file';

const DAMAGED_TAIL_CUT =
  'cut a torn tail off the event log, in which acknowledged events may have been: it is saved in a file; compare the file with the read models before you remove it';
const SEGMENT_REMOVED =
  'removed the last file of the event log, which held no event: its creation was interrupted, or another program truncated it';
const TAIL_PENDING =
  'the event log ends with a torn tail, and the disk is full: free disk space; the store then saves the tail and accepts appends';

/**
 * Stores events in streams. An append is checked and gets its positions at once, in the order of the calls. It
 * resolves, and readers see it, once it is durable: `index` and `records` have durable events only.
 * @throws {AppendTooLargeError} from appends and deletions, as all below
 * @throws {DiskFullError}
 * @throws {StoreUnavailableError}
 */
export class Store {
  readonly records: RecordReader;
  readonly #committer: Committer;
  readonly #recordFactory: RecordFactory;
  #closed: Promise<void> | undefined;

  /**
   * Creates the store over a recovered log. First writes an end mark, because recovery has made all earlier bytes
   * durable.
   * @throws {StoreUnavailableError}
   */
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
      onAppendsFailed: (error) =>
        options.log('error', 'appends failed: the log could not be written', { error: error.message }),
      onBroken: (error) => options.onBroken?.(error),
      onSpaceAvailable: () => options.log('info', 'the disk of the event log has free space again', {}),
    });
    this.#recordFactory = new RecordFactory(this.#committer.states, () => this.now(), options.newId);
  }

  now(): number {
    return this.options.now().getTime();
  }

  newId(): string {
    return this.options.newId();
  }

  get backlog(): number {
    return this.#committer.backlog;
  }

  async refuseAppends(): Promise<void> {
    await this.#committer.stopAccepting();
  }

  onCommit(wake: () => void): () => void {
    return this.#committer.onCommit(wake);
  }

  async append(
    stream: string,
    expected: ExpectedRevision,
    events: readonly ProposedEvent[],
  ): Promise<AppendResult> {
    const ids = events.map((event) => event.id);
    const check = this.#check(stream, expected, ids);
    if (check.kind !== 'append')
      return this.#answerWhenDurable(stream, check, () => this.append(stream, expected, events));
    const { current } = check;
    if (events.length === 0) return { kind: 'appended', revision: current, position: undefined };
    const records = this.#recordFactory.forEvents(stream, current + 1, events);
    const restoration = this.#recordFactory.restoration(stream, check, events);
    const positions = await this.#committer.commit(restoration ? [...records, restoration] : records);
    return { kind: 'appended', revision: current + events.length, position: positions[events.length - 1] };
  }

  /**
   * Hides the events of a stream (soft delete). A later append restores the stream, and its revisions continue after
   * the hidden ones.
   */
  async deleteStream(stream: string, expected: ExpectedRevision): Promise<AppendResult> {
    const id = this.newId();
    const check = this.#check(stream, expected, [id]);
    if (check.kind !== 'append')
      return this.#answerWhenDurable(stream, check, () => this.deleteStream(stream, expected));
    const metastream = metastreamOf(stream);
    const revision = this.#committer.states.lastRevision(metastream) + 1;
    if (check.current < 0 && revision === 0) return { kind: 'wrong-expected-revision', current: -1 };
    return this.#commitOne(this.#recordFactory.metadata(metastream, revision, SOFT_DELETE_JSON, id));
  }

  async tombstoneStream(stream: string, expected: ExpectedRevision): Promise<AppendResult> {
    const id = this.newId();
    const check = this.#check(stream, expected, [id]);
    if (check.kind !== 'append')
      return this.#answerWhenDurable(stream, check, () => this.tombstoneStream(stream, expected));
    return this.#commitOne(this.#recordFactory.tombstone(stream, id));
  }

  async close(): Promise<void> {
    this.#closed ??= this.#close();
    await this.#closed;
  }

  async #close(): Promise<void> {
    try {
      await this.#committer.stopAccepting();
      await this.#committer.markEnd();
      await this.log.close();
    } finally {
      this.unlock();
    }
  }

  #check(stream: string, expected: ExpectedRevision, ids: readonly string[]): AppendCheck {
    this.#committer.assertWritable();
    return checkAppend(this.#committer.states, stream, expected, ids);
  }

  async #commitOne(record: NewRecord): Promise<AppendResult> {
    const [position] = await this.#committer.commit([record]);
    return { kind: 'appended', revision: record.revision, position };
  }

  /**
   * Answers an append that stores nothing, once the events that decide the answer are durable. A repeated append is
   * acknowledged together with the first one. A refusal because of a pending append waits for that one, and the check
   * is repeated if that one fails.
   */
  async #answerWhenDurable(
    stream: string,
    check: Exclude<AppendCheck, { kind: 'append' }>,
    retry: () => Promise<AppendResult>,
  ): Promise<AppendResult> {
    if (check.kind === 'repeated') {
      await check.last.append?.done;
      return { kind: 'appended', revision: check.last.revision, position: check.last.position };
    }
    // Even a refused append tells the caller if the log is unwritable.
    if (check.kind === 'wrong-expected-revision') await this.#committer.probeWrite();
    const pending = this.#committer.states.pendingAppend(stream);
    if (!pending) return check;
    const succeeded = await pending.done.then(
      () => true,
      () => false,
    );
    return succeeded ? check : retry();
  }
}

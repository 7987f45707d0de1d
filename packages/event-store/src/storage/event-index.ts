import { Float64Column, Uint32Column } from './columns.js';
import { NameTable } from './name-table.js';
import { RecentIds } from './recent-ids.js';
import type { RecordView } from './record.js';
import { parseMetadata, type StreamMetadata } from './stream-metadata.js';
import { TOMBSTONE_REVISION } from './wire.js';

export const STREAM_DELETED_TYPE = '$streamDeleted';
export const LINK_TYPE = '$>';

/**
 * Each stream keeps the ordinal of every MARK_STRIDE-th of its events. To find another revision, the lookup goes on
 * from there, event by event.
 */
const MARK_STRIDE = 64;
const DOLLAR = 0x24;

/**
 * Index of all durable events, in memory: by ordinal (from 0, in log order) and by stream. Takes 36 bytes an event,
 * plus the names of streams.
 */
export class EventIndex {
  readonly streams = new NameTable();
  readonly types = new NameTable();
  readonly recentIds = new RecentIds();

  readonly #positions = new Float64Column();
  readonly #lengths = new Uint32Column();
  readonly #createdMs = new Float64Column();
  readonly #stream = new Uint32Column();
  readonly #type = new Uint32Column();
  readonly #revision = new Uint32Column();
  readonly #nextInStream = new Uint32Column();

  readonly #first = new Uint32Column();
  readonly #last = new Uint32Column();
  readonly #count = new Uint32Column();
  readonly #marks = new Map<number, number[]>();
  readonly #metadata = new Map<number, StreamMetadata>();
  readonly #tombstoned = new Set<number>();

  get count(): number {
    return this.#positions.length;
  }

  add(record: RecordView, length: number): void {
    const stream = this.#internStream(record.bytes, record.streamStart, record.streamEnd);
    const ordinal = this.count;
    this.#positions.push(record.position);
    this.#lengths.push(length);
    this.#createdMs.push(record.createdMs);
    this.#stream.push(stream);
    this.#type.push(this.types.intern(record.bytes, record.typeStart, record.typeEnd));
    this.#revision.push(record.revision);
    this.#nextInStream.push(0);
    this.recentIds.push(record.bytes, record.recordedStart + 4);
    if (record.revision === TOMBSTONE_REVISION) {
      this.#tombstoned.add(stream);
      return;
    }
    this.#link(stream, ordinal);
    if (isMetastream(record.bytes, record.streamStart, record.streamEnd)) {
      const original = this.#internStream(record.bytes, record.streamStart + 2, record.streamEnd);
      this.#metadata.set(original, parseMetadata(record.data, record.isJson));
    }
  }

  positionOf(ordinal: number): number {
    return this.#positions.at(ordinal);
  }

  lengthOf(ordinal: number): number {
    return this.#lengths.at(ordinal);
  }

  createdMsOf(ordinal: number): number {
    return this.#createdMs.at(ordinal);
  }

  streamOf(ordinal: number): number {
    return this.#stream.at(ordinal);
  }

  typeOf(ordinal: number): number {
    return this.#type.at(ordinal);
  }

  revisionOf(ordinal: number): number {
    return this.#revision.at(ordinal);
  }

  /** Returns the ordinal of the first event at or after a position; `count` if there is none. */
  ordinalFrom(position: number): number {
    let low = 0;
    let high = this.count;
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      if (this.#positions.at(middle) < position) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  streamNumber(name: string): number | undefined {
    return this.streams.find(Buffer.from(name));
  }

  /** Returns the last revision of a stream: -1 without events, TOMBSTONE_REVISION if it is tombstoned. */
  lastRevision(stream: number): number {
    return this.#tombstoned.has(stream) ? TOMBSTONE_REVISION : this.#count.at(stream) - 1;
  }

  lastCreatedMs(stream: number): number {
    return this.#count.at(stream) === 0 ? 0 : this.createdMsOf(this.#last.at(stream));
  }

  countOf(stream: number): number {
    return this.#count.at(stream);
  }

  metadataOf(stream: number): StreamMetadata {
    return this.#metadata.get(stream) ?? {};
  }

  ordinalOf(stream: number, revision: number): number {
    if (revision === this.#count.at(stream) - 1) return this.#last.at(stream);
    const mark = Math.floor(revision / MARK_STRIDE);
    let ordinal = this.#marks.get(stream)?.[mark - 1] ?? this.#first.at(stream);
    for (let left = revision % MARK_STRIDE; left > 0; left--) ordinal = this.#nextInStream.at(ordinal);
    return ordinal;
  }

  ordinalsOf(stream: number, revision: number, count: number): number[] {
    const ordinals: number[] = [];
    let ordinal = this.ordinalOf(stream, revision);
    for (let left = count; left > 0; left--) {
      ordinals.push(ordinal);
      ordinal = this.#nextInStream.at(ordinal);
    }
    return ordinals;
  }

  #link(stream: number, ordinal: number): void {
    const revision = this.#count.at(stream);
    if (revision === 0) this.#first.set(stream, ordinal);
    else this.#nextInStream.set(this.#last.at(stream), ordinal);
    this.#last.set(stream, ordinal);
    this.#count.set(stream, revision + 1);
    if (revision > 0 && revision % MARK_STRIDE === 0) {
      const marks = this.#marks.get(stream);
      if (marks) marks.push(ordinal);
      else this.#marks.set(stream, [ordinal]);
    }
  }

  #internStream(bytes: Buffer, start: number, end: number): number {
    const stream = this.streams.intern(bytes, start, end);
    if (stream === this.#count.length) {
      this.#first.push(0);
      this.#last.push(0);
      this.#count.push(0);
    }
    return stream;
  }
}

function isMetastream(bytes: Buffer, start: number, end: number): boolean {
  return end - start > 2 && bytes[start] === DOLLAR && bytes[start + 1] === DOLLAR;
}

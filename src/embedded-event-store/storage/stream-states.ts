import type { EventIndex } from './event-index.js';
import type { InFlight, InFlightAppend } from './in-flight.js';
import { RecordView } from './record.js';
import { DELETED_BEFORE, metastreamOf, originalOf, type StreamMetadata } from './stream-metadata.js';
import { TOMBSTONE_REVISION } from './wire.js';

export interface KnownEvent {
  revision: number;
  position: number;
  /** The append that brings it, while that is not durable yet. */
  append?: InFlightAppend;
}

/** The streams as a new append finds them: the index, and on top of it what is on its way to the disk. */
export class StreamStates {
  constructor(
    private readonly index: EventIndex,
    private readonly inFlight: InFlight,
    /** The bytes of a record, at once. */
    private readonly recordSync: (ordinal: number) => Buffer,
  ) {}

  /** Revision of the last event: -1 without any, TOMBSTONE_REVISION for a tombstoned stream and its metadata stream. */
  lastRevision(stream: string): number {
    const original = originalOf(stream);
    if (original !== undefined && this.#last(original) === TOMBSTONE_REVISION) return TOMBSTONE_REVISION;
    return this.#last(stream);
  }

  /** When the stream's last event was created, in milliseconds since the epoch: 0 without any. */
  lastCreated(stream: string): number {
    const inFlight = this.inFlight.stream(stream);
    if (inFlight) return inFlight.lastCreatedMs;
    const number = this.index.streamNumber(stream);
    return number === undefined ? 0 : this.index.lastCreated(number);
  }

  /** The newest append to the stream that is not durable yet. */
  underWay(stream: string): InFlightAppend | undefined {
    return this.inFlight.stream(stream)?.append;
  }

  isSoftDeleted(stream: string): boolean {
    return this.#metadata(stream).truncateBefore === DELETED_BEFORE;
  }

  /** The stream's newest metadata event, as written; undefined without any. */
  rawMetadata(stream: string): Buffer | undefined {
    const name = metastreamOf(stream);
    const inFlight = this.inFlight.stream(name)?.metadata;
    if (inFlight) return inFlight.data;
    const number = this.index.streamNumber(name);
    if (number === undefined || this.index.countOf(number) === 0) return undefined;
    const ordinal = this.index.ordinalOf(number, this.index.countOf(number) - 1);
    return new RecordView().at(this.recordSync(ordinal), 0).data;
  }

  /** The event of a stream that has this id, if it is among the latest events of the log. */
  recentEvent(stream: string, id: string): KnownEvent | undefined {
    const inFlight = this.inFlight.event(id);
    if (inFlight) return inFlight.stream === stream ? inFlight : undefined;
    const ordinal = this.index.recentIds.find(id);
    if (ordinal === undefined || this.index.streamOf(ordinal) !== this.index.streamNumber(stream))
      return undefined;
    return { revision: this.index.revisionOf(ordinal), position: this.index.positionOf(ordinal) };
  }

  /** The event at a revision of a stream, if it has this id, however old it is. */
  eventAt(stream: string, revision: number, id: string): KnownEvent | undefined {
    const recent = this.recentEvent(stream, id);
    if (recent?.revision === revision) return recent;
    const number = this.index.streamNumber(stream);
    if (number === undefined || revision >= this.index.countOf(number)) return undefined;
    const ordinal = this.index.ordinalOf(number, revision);
    const record = new RecordView().at(this.recordSync(ordinal), 0);
    return record.id === id ? { revision, position: this.index.positionOf(ordinal) } : undefined;
  }

  #last(stream: string): number {
    const inFlight = this.inFlight.stream(stream);
    if (inFlight) return inFlight.lastRevision;
    const number = this.index.streamNumber(stream);
    return number === undefined ? -1 : this.index.lastRevision(number);
  }

  #metadata(stream: string): StreamMetadata {
    const inFlight = this.inFlight.stream(metastreamOf(stream))?.metadata;
    if (inFlight) return inFlight.value;
    const number = this.index.streamNumber(stream);
    return number === undefined ? {} : this.index.metadataOf(number);
  }
}

import type { EventIndex } from './event-index.js';
import type { InFlight, InFlightAppend } from './in-flight.js';
import { RecordView } from './record.js';
import {
  SOFT_DELETED_BEFORE,
  metastreamOf,
  originalStreamOf,
  type StreamMetadata,
} from './stream-metadata.js';
import { TOMBSTONE_REVISION } from './wire.js';

export interface ExistingEvent {
  revision: number;
  position: number;
  append?: InFlightAppend;
}

/**
 * The state of streams that an append is checked against: the durable events of the index, and the appends in
 * progress.
 */
export class StreamStates {
  constructor(
    private readonly index: EventIndex,
    private readonly inFlight: InFlight,
    private readonly recordSync: (ordinal: number) => Buffer,
  ) {}

  /**
   * Returns the last revision: -1 without events, TOMBSTONE_REVISION for a tombstoned stream and for its metadata
   * stream.
   */
  lastRevision(stream: string): number {
    const original = originalStreamOf(stream);
    if (original !== undefined && this.#last(original) === TOMBSTONE_REVISION) return TOMBSTONE_REVISION;
    return this.#last(stream);
  }

  lastCreatedMs(stream: string): number {
    const inFlight = this.inFlight.stream(stream);
    if (inFlight) return inFlight.lastCreatedMs;
    const number = this.index.streamNumber(stream);
    return number === undefined ? 0 : this.index.lastCreatedMs(number);
  }

  pendingAppend(stream: string): InFlightAppend | undefined {
    return this.inFlight.stream(stream)?.append;
  }

  isSoftDeleted(stream: string): boolean {
    return this.#metadata(stream).truncateBefore === SOFT_DELETED_BEFORE;
  }

  rawMetadata(stream: string): Buffer | undefined {
    const name = metastreamOf(stream);
    const inFlight = this.inFlight.stream(name)?.metadata;
    if (inFlight) return inFlight.data;
    const number = this.index.streamNumber(name);
    if (number === undefined || this.index.countOf(number) === 0) return undefined;
    const ordinal = this.index.ordinalOf(number, this.index.countOf(number) - 1);
    return new RecordView().at(this.recordSync(ordinal), 0).data;
  }

  /** Finds an event of a stream by its id, but only among the latest events of the log (RecentIds). */
  recentEvent(stream: string, id: string): ExistingEvent | undefined {
    const inFlight = this.inFlight.event(id);
    if (inFlight) return inFlight.stream === stream ? inFlight : undefined;
    const ordinal = this.index.recentIds.find(id);
    if (ordinal === undefined || this.index.streamOf(ordinal) !== this.index.streamNumber(stream))
      return undefined;
    return { revision: this.index.revisionOf(ordinal), position: this.index.positionOf(ordinal) };
  }

  /** Returns the event at this revision if it has this id, however old it is. */
  eventAt(stream: string, revision: number, id: string): ExistingEvent | undefined {
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

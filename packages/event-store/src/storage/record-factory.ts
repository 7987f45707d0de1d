import { STREAM_DELETED_TYPE } from './event-index.js';
import type { NewRecord } from './record.js';
import { metastreamOf, originalStreamOf, withTruncateBefore } from './stream-metadata.js';
import type { StreamStates } from './stream-states.js';
import { TOMBSTONE_REVISION } from './wire.js';

export interface ProposedEvent {
  id: string;
  type: string;
  isJson: boolean;
  data: Uint8Array;
  metadata: Uint8Array;
}

const METADATA_TYPE = '$metadata';
const EMPTY = new Uint8Array(0);

export class RecordFactory {
  constructor(
    private readonly states: StreamStates,
    private readonly nowMs: () => number,
    private readonly newId: () => string,
  ) {}

  forEvents(stream: string, first: number, events: readonly ProposedEvent[]): NewRecord[] {
    const createdMs = this.#createdMs(stream);
    return events.map((event, i) => this.#record(stream, first + i, event, createdMs));
  }

  metadata(metastream: string, revision: number, data: Buffer, id = this.newId()): NewRecord {
    const event = { id, type: METADATA_TYPE, isJson: true, data, metadata: EMPTY };
    return this.#record(metastream, revision, event);
  }

  tombstone(stream: string, id: string): NewRecord {
    const event = { id, type: STREAM_DELETED_TYPE, isJson: false, data: EMPTY, metadata: EMPTY };
    return this.#record(stream, TOMBSTONE_REVISION, event);
  }

  /**
   * Returns the metadata event that restores a soft-deleted stream, if these events do; otherwise undefined. An
   * append to the stream restores it, and so does an append of metadata. `$tb` in the returned event hides all events
   * before the deletion.
   */
  restoration(
    stream: string,
    { current, softDeleted }: { current: number; softDeleted: boolean },
    events: readonly ProposedEvent[],
  ): NewRecord | undefined {
    const original = originalStreamOf(stream);
    if (softDeleted) {
      const raw = this.states.rawMetadata(stream);
      const json = raw && withTruncateBefore(raw, current + 1);
      const metastream = metastreamOf(stream);
      return json && this.metadata(metastream, this.states.lastRevision(metastream) + 1, json);
    }
    if (original !== undefined && this.states.isSoftDeleted(original)) {
      const raw = Buffer.from(events.at(-1)?.data ?? EMPTY);
      const json = withTruncateBefore(raw, this.states.lastRevision(original) + 1);
      return json && this.metadata(stream, current + 1 + events.length, json);
    }
    return undefined;
  }

  #record(
    stream: string,
    revision: number,
    event: ProposedEvent,
    createdMs = this.#createdMs(stream),
  ): NewRecord {
    const names = { stream: Buffer.from(stream), type: Buffer.from(event.type) };
    return { ...event, ...names, revision, createdMs };
  }

  /**
   * Creation time of the next event: never before that of the last event of the stream, even if the clock goes
   * backwards. Reads rely on ascending times within a stream.
   */
  #createdMs(stream: string): number {
    return Math.max(this.nowMs(), this.states.lastCreatedMs(stream));
  }
}

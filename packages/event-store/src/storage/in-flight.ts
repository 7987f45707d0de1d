import type { StreamMetadata } from './stream-metadata.js';

export interface InFlightAppend {
  readonly done: Promise<void>;
}

export interface InFlightEvent {
  stream: string;
  revision: number;
  position: number;
  append: InFlightAppend;
}

interface InFlightStream {
  lastRevision: number;
  lastCreatedMs: number;
  append: InFlightAppend;
  metadata?: { value: StreamMetadata; data: Buffer };
}

/**
 * Streams and events of appends that are not durable yet. The checks of later appends see them, readers do not. If a
 * write fails, clearing them undoes it in memory.
 */
export class InFlight {
  readonly #streams = new Map<string, InFlightStream>();
  readonly #events = new Map<string, InFlightEvent>();

  stream(name: string): Readonly<InFlightStream> | undefined {
    return this.#streams.get(name);
  }

  event(id: string): Readonly<InFlightEvent> | undefined {
    return this.#events.get(id);
  }

  setStream(name: string, state: InFlightStream): void {
    this.#streams.set(name, state);
  }

  setEvent(id: string, event: InFlightEvent): void {
    this.#events.set(id, event);
  }

  remove(append: InFlightAppend, streams: Iterable<string>, ids: Iterable<string>): void {
    for (const name of streams) if (this.#streams.get(name)?.append === append) this.#streams.delete(name);
    for (const id of ids) if (this.#events.get(id)?.append === append) this.#events.delete(id);
  }

  clear(): void {
    this.#streams.clear();
    this.#events.clear();
  }
}

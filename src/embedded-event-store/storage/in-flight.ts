import type { StreamMetadata } from './stream-metadata.js';

/** An append that passed its checks and is on its way to the disk. */
export interface InFlightAppend {
  /** Settles with the append: fulfilled when it is durable. */
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
  /** The newest metadata event on its way, when the stream is a metadata stream. */
  metadata?: { value: StreamMetadata; data: Buffer };
}

/**
 * What the appends on their way to the disk will make of the streams. Checks of further appends see this on top of the
 * index, readers do not. If the writing fails, forgetting all of it is the whole rollback.
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

  /** Forgets one append, which the index now knows. */
  landed(append: InFlightAppend, streams: Iterable<string>, ids: Iterable<string>): void {
    for (const name of streams) if (this.#streams.get(name)?.append === append) this.#streams.delete(name);
    for (const id of ids) if (this.#events.get(id)?.append === append) this.#events.delete(id);
  }

  clear(): void {
    this.#streams.clear();
    this.#events.clear();
  }
}

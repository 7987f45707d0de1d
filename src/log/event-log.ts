import type { StoredEvent } from './registry.js';
import type { EventMetadata, Recorded } from './recorded.js';

/** Revision a stream must be at for an append to go through; `no_stream`: it must not exist. Never "any". */
export type ExpectedRevision = 'no_stream' | bigint;

export interface Append<Event extends StoredEvent = StoredEvent> {
  readonly stream: string;
  readonly expected: ExpectedRevision;
  /** Each with an id (UUID) of its own: a retry with the same ids and the same `expected` is always safe. */
  readonly events: readonly { readonly id: string; readonly event: Event }[];
  readonly metadata: EventMetadata;
}

export interface Appended {
  /** Revision of the stream after the append. */
  readonly revision: bigint;
  /** Position in the log, of the last event of the append. */
  readonly position: bigint;
}

export interface ReadOptions {
  readonly from?: bigint;
  readonly direction?: 'forwards' | 'backwards';
  readonly limit?: number;
}

/** A place in the log: the last handled event. The id proves on resume that it is still the same log. */
export interface Checkpoint {
  readonly position: bigint;
  readonly eventId: string;
}

export interface SubscribeOptions {
  /** Undefined: from the beginning. */
  readonly after: Checkpoint | undefined;
  /** Names of the event types that are wanted; the server filters. */
  readonly types: readonly StoredEvent['type'][];
  /** Most events in one batch. */
  readonly batchSize: number;
  readonly signal: AbortSignal;
}

/** What a subscriber is given: events that wait together, oldest first, and whether it now stands at the end of the log. */
export interface Batch {
  readonly events: readonly Recorded[];
  readonly caughtUp: boolean;
}

/** The port to the event log. One instance, and so one appending client, a process. */
export abstract class EventLog {
  /**
   * Durable when it resolves. Retries ambiguous outcomes by itself within its deadline.
   * @throws {WrongExpectedRevision} somebody else wrote first. {@link LogUnavailable} nothing is known: the same append
   * may be repeated with the same ids. {@link PersonErased} the key to seal with is gone.
   */
  abstract append(append: Append): Promise<Appended>;

  /** Empty if there is no such stream. @throws {LogUnavailable} */
  abstract read(stream: string, options?: ReadOptions): Promise<readonly Recorded[]>;

  /** Position of the newest event of the log, or undefined while it is empty. @throws {LogUnavailable} */
  abstract head(): Promise<bigint | undefined>;

  /**
   * Batches of events after a checkpoint, for ever; reconnects by itself. Ends when `signal` aborts.
   * @throws {LogReplaced} the event at the checkpoint is not the one that was handled.
   */
  abstract subscribe(options: SubscribeOptions): AsyncIterable<Batch>;

  abstract close(): Promise<void>;
}

export class WrongExpectedRevision extends Error {
  override readonly name = 'WrongExpectedRevision';
}

/** The log cannot be reached or did not answer in time. `cause` has the client's error. */
export class LogUnavailable extends Error {
  override readonly name = 'LogUnavailable';
}

export class LogReplaced extends Error {
  override readonly name = 'LogReplaced';
}

/** An event in the log that this code cannot read: unknown type, unknown version, or wrong shape. */
export class UnreadableEvent extends Error {
  override readonly name = 'UnreadableEvent';

  constructor(
    message: string,
    readonly event: { readonly id: string; readonly position: bigint | undefined },
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

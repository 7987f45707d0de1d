import type { RefusalCode } from '../domain/refusal.js';
import type { StoredEvent } from './registry.js';
import type { EventMetadata, Recorded } from './recorded.js';

/** Revision a stream must be at for an append to go through; `no_stream`: it must not exist. Never "any". */
export type ExpectedRevision = 'no_stream' | bigint;

export interface NewEvent<Event extends StoredEvent = StoredEvent> {
  /** UUID. */
  readonly id: string;
  readonly event: Event;
  /** Of this event, in place of the append's. */
  readonly metadata?: EventMetadata;
}

export interface Append<Event extends StoredEvent = StoredEvent> {
  readonly stream: string;
  readonly expected: ExpectedRevision;
  /** Each with an id of its own: a retry with the same ids and the same `expected` is always safe. */
  readonly events: readonly NewEvent<Event>[];
  readonly metadata: EventMetadata;
}

export interface Appended {
  /** Revision of the stream after the append. */
  readonly revision: bigint;
  /** Position in the log, of the last event of the append. */
  readonly position: bigint;
  /** That last event as it was appended, where it is a restriction: with its number in the witness, and as an earlier try had it. */
  readonly restriction?: Required<NewEvent>;
}

export interface ReadOptions {
  readonly from?: bigint;
  readonly direction?: 'forwards' | 'backwards';
  readonly limit?: number;
  /** For reads that prove something: a deleted stream is then an empty one. */
  readonly isProof?: boolean;
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
export interface Batch<Event = Recorded> {
  readonly events: readonly Event[];
  readonly caughtUp: boolean;
}

/** Where an event stands, without its content. */
export interface EventReference {
  readonly id: string;
  readonly stream: string;
  readonly position: bigint;
  /** Of a restriction: its number in the witness; undefined: it has none. */
  readonly witnessEpoch: number | undefined;
}

/** The port to the event log. One instance, and so one appending client, a process. */
export abstract class EventLog {
  /**
   * Durable when it resolves. Retries ambiguous outcomes by itself within its deadline.
   * @throws {WrongExpectedRevision} somebody else wrote first. {@link LogUnavailable} nothing is known: the same append
   * may be repeated with the same ids. {@link PersonErased} the key to seal with is gone. {@link NotWitnessed} a
   * restriction, of which an append has one at the most, as its last event, cannot be acknowledged.
   */
  abstract append(append: Append): Promise<Appended>;

  /**
   * Resolves once the restrictions among these events of the log can be acknowledged: whoever finds that what is asked
   * for was done before waits for this. @throws {NotWitnessed}
   */
  abstract ensureWitnessed(recorded: readonly Recorded[]): Promise<void>;

  /** As the leader has it. Empty if there is no such stream. @throws {LogUnavailable} */
  abstract read(stream: string, options?: ReadOptions): Promise<readonly Recorded[]>;

  /**
   * The event of this id in this stream, as the leader has it; undefined: the leader does not have it. Also finds events
   * that this code cannot read. @throws {LogUnavailable}
   */
  abstract find(stream: string, id: string): Promise<EventReference | undefined>;

  /**
   * Position of the newest event of the network, or undefined while there is none. Takes long where much else is behind it,
   * the first time. @throws {LogUnavailable}
   */
  abstract head(): Promise<bigint | undefined>;

  /** Resolves if the leader answers now, with the one event that is the newest, whatever it is. @throws {LogUnavailable} */
  abstract reach(signal?: AbortSignal): Promise<void>;

  /** From now on asks over a new connection, and so whichever node leads then. Resolves before it stands. */
  abstract reconnect(): Promise<void>;

  /** Resolves if the log takes appends now, the largest among them; writes nothing. @throws {LogFull} {@link LogUnavailable} */
  abstract checkWritable(): Promise<void>;

  /**
   * What an operator has to change, in a fixed sentence that strangers may read, before a use succeeds that failed or does
   * not end; undefined: nothing that would not pass by itself. Never rejects.
   */
  abstract explain(use: 'read' | 'append', error?: unknown): Promise<string | undefined>;

  /**
   * Resolves if the log has this event at this position, by the leader's word.
   * @throws {LogReplaced} it does not, asked three times over as many connections. {@link LogUnavailable} nothing is known.
   * Rejects when `signal` aborts.
   */
  abstract verify(checkpoint: Checkpoint, signal?: AbortSignal): Promise<void>;

  /**
   * Batches of events after a checkpoint, for ever; reconnects by itself. Ends when `signal` aborts.
   * @throws {LogReplaced} the event at the checkpoint is not the one that was handled.
   */
  abstract subscribe(options: SubscribeOptions): AsyncIterable<Batch>;

  /** The same without the content, and so also of events that this code cannot read. @throws {LogReplaced} */
  abstract references(options: SubscribeOptions): AsyncIterable<Batch<EventReference>>;

  abstract close(): Promise<void>;
}

export class WrongExpectedRevision extends Error {
  override readonly name = 'WrongExpectedRevision';
}

/** The log cannot be reached or did not answer in time. `cause` has the client's error. */
export class LogUnavailable extends Error {
  override readonly name: string = 'LogUnavailable';
}

/** The disk of the log is full. It takes appends again, by itself, when there is room. */
export class LogFull extends LogUnavailable {
  override readonly name = 'LogFull';
}

/** A published code of the witness (recovery.md, "Writing a restriction"). */
export type WitnessCode = Extract<
  RefusalCode,
  | 'restriction_witness_required'
  | 'restriction_witness_unavailable_or_incomplete'
  | 'witness_prepare_mismatch'
  | 'ambiguous_acceptance_requires_independent_proof'
  | 'witness_acceptance_mismatch'
  | 'witness_finalize_unconfirmed'
>;

/**
 * A restriction is not acknowledged: the witness did not take it or contradicts it, or it does not hold for every reader
 * yet. `message`: what is known of it.
 */
export class NotWitnessed extends Error {
  override readonly name = 'NotWitnessed';

  constructor(
    readonly code: WitnessCode,
    message: string,
    options: { readonly cause: unknown },
  ) {
    super(message, options);
  }
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

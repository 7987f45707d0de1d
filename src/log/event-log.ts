import type { StoredEvent } from './registry.js';
import type { EventMetadata, Recorded } from './recorded.js';

/** Expected revision, for optimistic concurrency. `no_stream`: the stream must not exist. Never "any". */
export type ExpectedRevision = 'no_stream' | bigint;

export interface NewEvent<Event extends StoredEvent = StoredEvent> {
  readonly id: string;
  readonly event: Event;
  readonly metadata?: EventMetadata;
}

export interface Append<Event extends StoredEvent = StoredEvent> {
  readonly stream: string;
  readonly expected: ExpectedRevision;
  /** Each event has an id of its own. A retry with the same ids and the same `expected` is idempotent. */
  readonly events: readonly NewEvent<Event>[];
  readonly metadata: EventMetadata;
}

export interface AppendedEvents {
  readonly revision: bigint;
  readonly position: bigint;
  /** The last event as appended, if it is a restriction: with its epoch, and with the content of the first attempt. */
  readonly restriction?: Required<NewEvent>;
}

export interface ReadOptions {
  readonly from?: bigint;
  readonly direction?: 'forwards' | 'backwards';
  readonly limit?: number;
  /** For a read that proves absence: a deleted stream then reads as empty. */
  readonly isProof?: boolean;
}

/** The last handled event. On resume, the id proves that the log is still the same. */
export interface Checkpoint {
  readonly position: bigint;
  readonly eventId: string;
}

export interface SubscribeOptions {
  readonly after: Checkpoint | undefined;
  readonly types: readonly StoredEvent['type'][];
  readonly batchSize: number;
  readonly signal: AbortSignal;
  /** Rejects after this time of failures alone. Undefined: a subscription waits for the log, however long. */
  readonly giveUpAfterMs?: number;
}

export interface Batch<Event = Recorded> {
  readonly events: readonly Event[];
  readonly caughtUp: boolean;
}

export interface EventReference {
  readonly id: string;
  readonly stream: string;
  readonly position: bigint;
  readonly witnessEpoch: number | undefined;
}

/** Port to the event log. A process has one instance, and so one appending client. */
export abstract class EventLog {
  /**
   * Resolves once the append is durable. Retries ambiguous outcomes within its deadline.
   * @throws {WrongExpectedRevision} another writer was first. {@link LogUnavailable} in doubt: the same append may be
   * repeated with the same ids. {@link PersonErased} the encryption key is destroyed. {@link NotWitnessed} a
   * restriction cannot be acknowledged. An append has one at most, as its last event.
   */
  abstract append(append: Append): Promise<AppendedEvents>;

  /**
   * Resolves once the restrictions among these stored events can be acknowledged. A command whose change was made
   * earlier waits for this.
   * @throws {NotWitnessed}
   */
  abstract ensureWitnessed(recorded: readonly Recorded[]): Promise<void>;

  /** Reads from the leader. Empty if no such stream exists. @throws {LogUnavailable} */
  abstract read(stream: string, options?: ReadOptions): Promise<readonly Recorded[]>;

  /**
   * The event with this id, read from the leader; undefined: the leader does not have it. Also finds events that this
   * code cannot read.
   * @throws {LogUnavailable}
   */
  abstract find(stream: string, id: string): Promise<EventReference | undefined>;

  /**
   * Position of the network's newest event; undefined: the log has none. The first call is slow if many events of
   * other origin follow it.
   * @throws {LogUnavailable}
   */
  abstract head(): Promise<bigint | undefined>;

  abstract reach(signal?: AbortSignal): Promise<void>;

  abstract reconnect(): Promise<void>;

  /** Resolves if the log accepts the largest append now; writes nothing. @throws {LogFull} {@link LogUnavailable} */
  abstract checkWritable(): Promise<void>;

  /**
   * The configuration fault behind a use that failed or hangs, with its remedy, in a fixed sentence that is safe to
   * publish. Undefined: no fault that needs an operator. Never rejects.
   */
  abstract explain(use: 'read' | 'append', error?: unknown): Promise<string | undefined>;

  /**
   * Resolves if the leader has this event at this position. Rejects when `signal` aborts.
   * @throws {LogReplaced} the leader denied it three times, over as many connections. {@link LogUnavailable} no
   * answer.
   */
  abstract verify(checkpoint: Checkpoint, signal?: AbortSignal): Promise<void>;

  /**
   * Endless batches of events after a checkpoint; reconnects by itself. Ends when `signal` aborts.
   * @throws {LogReplaced} the log has another event at the checkpoint. {@link LogUnavailable} only with
   * `giveUpAfterMs`.
   */
  abstract subscribe(options: SubscribeOptions): AsyncIterable<Batch>;

  abstract references(options: SubscribeOptions): AsyncIterable<Batch<EventReference>>;

  abstract close(): Promise<void>;
}

export class WrongExpectedRevision extends Error {
  override readonly name = 'WrongExpectedRevision';
}

export class LogUnavailable extends Error {
  override readonly name: string = 'LogUnavailable';
}

export class LogFull extends LogUnavailable {
  override readonly name = 'LogFull';
}

export type WitnessCode =
  | 'restriction_witness_required'
  | 'restriction_witness_unavailable_or_incomplete'
  | 'witness_prepare_mismatch'
  | 'ambiguous_acceptance_requires_independent_proof'
  | 'witness_acceptance_mismatch'
  | 'witness_finalize_unconfirmed';

/**
 * A restriction cannot be acknowledged: the witness did not record it or contradicts it, or some readers do not honor
 * it yet.
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

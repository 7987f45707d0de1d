import type { StoredEvent } from './registry.js';
import type { EventMetadata, Recorded } from './recorded.js';

/**
 * Revision of the stream that an append expects (optimistic concurrency). `no_stream`: the stream must not exist.
 * "Any" revision is not possible.
 */
export type ExpectedRevision = 'no_stream' | bigint;

export interface NewEvent<Event extends StoredEvent = StoredEvent> {
  readonly id: string;
  readonly event: Event;
  readonly metadata?: EventMetadata;
}

export interface Append<Event extends StoredEvent = StoredEvent> {
  readonly stream: string;
  readonly expected: ExpectedRevision;
  /**
   * Each event has an id of its own. An append repeated with the same ids and the same `expected` stores nothing
   * twice.
   */
  readonly events: readonly NewEvent<Event>[];
  readonly metadata: EventMetadata;
  /** The leader that the decision's facts were read from; undefined: no other stream decides. */
  readonly leadership?: Leadership | undefined;
}

export interface AppendedEvents {
  readonly revision: bigint;
  readonly position: bigint;
  /**
   * The last event, if it is a restriction: with its epoch, and with the content of the first attempt, which a retry
   * does not change.
   */
  readonly restriction?: Required<NewEvent>;
}

export interface ReadOptions {
  readonly from?: bigint;
  readonly direction?: 'forwards' | 'backwards';
  readonly limit?: number;
  /**
   * True: a deleted stream reads as empty, and not as an outage. For a read that must prove that an event is absent.
   */
  readonly isProof?: boolean;
}

/**
 * Position and id of the last event that a reader handled. When the reader resumes, the id shows whether it is still
 * the same log.
 */
export interface Checkpoint {
  readonly position: bigint;
  readonly eventId: string;
}

export interface SubscribeOptions {
  readonly after: Checkpoint | undefined;
  readonly types: readonly StoredEvent['type'][];
  readonly batchSize: number;
  readonly signal: AbortSignal;
  /** A subscription rejects after so many milliseconds of uninterrupted failures. Undefined: it retries for ever. */
  readonly giveUpAfterMs?: number;
}

/** An event as the store has it: encrypted fields stay ciphertexts, and this release may not know the type. */
export interface UndecodedEvent {
  readonly id: string;
  readonly stream: string;
  readonly revision: bigint;
  readonly position: bigint;
  /** When the store accepted the event, in Unix milliseconds. */
  readonly storedAt: number;
  readonly type: string;
  /** JSON, or a `Uint8Array` if the writer did not send JSON. */
  readonly data: unknown;
  readonly metadata: unknown;
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

/** `holds`: the leader that was asked is still the one that is read from. */
export interface Leadership {
  readonly holds: boolean;
}

/** The event log, for all other code. A process has one instance, so that only one client appends. */
export abstract class EventLog {
  /**
   * Resolves once the append is durable. Repeats an attempt without a clear answer until its deadline. Of
   * restrictions, an append has one at most, as its last event.
   * @throws {WrongExpectedRevision} another writer was first. {@link LeaderChanged} `leadership` ended before an answer:
   * the append may be stored, and the decision's facts may be old. {@link LogUnavailable} the outcome is unknown: the same
   * append may be repeated with the same ids. {@link PersonErased} the encryption key is destroyed. {@link
   * NotWitnessed} the restriction cannot be acknowledged.
   */
  abstract append(append: Append): Promise<AppendedEvents>;

  /**
   * Resolves once every restriction among these stored events is recorded in the witness, and so can be acknowledged.
   * For a command that finds its change made already.
   * @throws {NotWitnessed}
   */
  abstract ensureWitnessed(recorded: readonly Recorded[]): Promise<void>;

  /**
   * Proves that the leader still leads, by a write that begins after this call: a leader that is cut off answers reads
   * from an old state. A read that begins after the proof and ends while that leadership holds has every event that
   * was acknowledged before this call. Undefined: the server is one node alone, whose reads are never old.
   * @throws {LogUnavailable}
   */
  abstract prove(): Promise<Leadership | undefined>;

  /** The leader that is read from now, without a proof. @throws {LogUnavailable} */
  abstract leadership(): Promise<Leadership>;

  /** Reads events of a stream from the leader. Empty if the stream does not exist. @throws {LogUnavailable} */
  abstract read(stream: string, options?: ReadOptions): Promise<readonly Recorded[]>;

  /**
   * Finds the event with this id in a stream, read from the leader; undefined: the leader does not have it. Also
   * finds events that this release cannot decode.
   * @throws {LogUnavailable}
   */
  abstract find(stream: string, id: string): Promise<EventReference | undefined>;

  /**
   * Position of the network's newest event; undefined: the log has none. If many events of other applications or of
   * the server follow that event, the first call is slow.
   * @throws {LogUnavailable}
   */
  abstract head(): Promise<bigint | undefined>;

  /** Resolves if the leader answers a read, within this time. @throws {LogUnavailable} */
  abstract reach(signal?: AbortSignal, milliseconds?: number): Promise<void>;

  abstract reconnect(): Promise<void>;

  /**
   * Resolves if the log would accept an append of the largest size now. Writes nothing. @throws {LogFull} {@link
   * LogUnavailable}
   */
  abstract checkWritable(): Promise<void>;

  /**
   * Explains why a read or append failed or hangs, if the configuration is the cause: one fixed sentence with the
   * remedy, safe to publish. Undefined: no such cause was found. Never rejects.
   */
  abstract explain(use: 'read' | 'append', error?: unknown): Promise<string | undefined>;

  /**
   * Resolves if the leader has this event at this position. Rejects when `signal` aborts.
   * @throws {LogReplaced} three reads, each over another connection, did not find it. {@link LogUnavailable} no
   * answer, so nothing is proven.
   */
  abstract verify(checkpoint: Checkpoint, signal?: AbortSignal): Promise<void>;

  /**
   * Yields batches of events after a checkpoint for ever; reconnects by itself. Ends when `signal` aborts.
   * @throws {LogReplaced} the log has another event at the checkpoint. {@link LogUnavailable} only with
   * `giveUpAfterMs`.
   */
  abstract subscribe(options: SubscribeOptions): AsyncIterable<Batch>;

  abstract references(options: SubscribeOptions): AsyncIterable<Batch<EventReference>>;

  /** Like {@link EventLog.subscribe}, for every event of the network's streams, of any type and as stored. */
  abstract undecoded(options: Omit<SubscribeOptions, 'types'>): AsyncIterable<Batch<UndecodedEvent>>;

  abstract close(): Promise<void>;
}

/** The part of the log that works without the vault. */
export type UndecodedLog = Pick<EventLog, 'undecoded' | 'head' | 'verify' | 'explain' | 'close'>;

export class WrongExpectedRevision extends Error {
  override readonly name = 'WrongExpectedRevision';
}

export class LeaderChanged extends Error {
  override readonly name = 'LeaderChanged';
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
 * A restriction cannot be acknowledged: the witness did not record it, or contradicts it, or some reads may not honor
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

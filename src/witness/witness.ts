import type { EventMetadata } from '../log/recorded.js';
import type { RestrictionEvent } from '../log/restrictions.js';
import type { Digest, Range } from './digest.js';

/** A restriction as the witness keeps it: all that it takes to append it again, word for word. Nothing personal is in it. */
export interface Restriction {
  /** Of the event: UUID. */
  readonly id: string;
  readonly stream: string;
  readonly event: RestrictionEvent;
  /** Without `witnessEpoch`, which the witness gives. */
  readonly metadata: EventMetadata;
}

/**
 * How far a restriction came (recovery.md, "Writing a restriction"). `prepared`: nobody knows whether it is in the log.
 * `accepted`: it was seen there, at that position. `finalized`: it was acknowledged. `withdrawn`: it was proven not to be there.
 */
export type RestrictionState = 'prepared' | 'accepted' | 'finalized' | 'withdrawn';

export interface Witnessed {
  /**
   * Number of the restriction in the witness: from 1, in the order of preparation, never given twice. The event's metadata
   * in the log have the same, unless the witness was set back and told again since: then its own is what holds.
   */
  readonly epoch: bigint;
  readonly state: RestrictionState;
  /** SHA-256 over the restriction, 32 bytes: see `restrictionHash`. */
  readonly hash: Buffer;
  /** In the log; undefined until it was accepted. */
  readonly position: bigint | undefined;
  /** When it was prepared for the first time, Unix milliseconds. */
  readonly preparedAt: number;
  readonly restriction: Restriction;
}

/** Which restriction was accepted, and where it was seen in the log. */
export interface Accepted {
  /** Of the event: UUID. */
  readonly id: string;
  readonly epoch: bigint;
  readonly position: bigint | undefined;
}

/** What the log has of a restriction: the hash of what stands there, and its position. */
export interface Proof {
  readonly hash: Buffer;
  readonly position: bigint;
}

/** Where a restriction stands in the log that a witness is told again. */
export interface Place {
  readonly position: bigint;
  /** The number that it has in the log; undefined: it is older than the witness. */
  readonly epoch: bigint | undefined;
  /** The number of the one before it in its stream; 0: there is none. */
  readonly after: bigint;
}

/**
 * An append-only, hash-chained ledger of restrictions, in a failure domain of its own. Every step is a line of it that
 * names the hash of the line before, so that none can be changed, removed or put in between without a trace.
 *
 * Every method throws {@link WitnessUnavailable} when the witness does not answer within its deadline, and
 * {@link WitnessRequired} where none is configured. `now`: Unix milliseconds.
 */
export abstract class Witness {
  /**
   * Puts a restriction down before it is appended. The same id with the same content answers what is there, whoever
   * prepared it: that one is to be appended. A withdrawn one is prepared anew, under its number.
   * @throws {WitnessMismatch} the same id with other content.
   */
  abstract prepare(restriction: Restriction, now: number): Promise<Witnessed>;

  /**
   * It is in the log, there. Also after it was withdrawn: the log is the proof.
   * @throws {WitnessMismatch} it was prepared with other content, not at all, or accepted at another position.
   */
  abstract accept(id: string, proof: Proof, now: number): Promise<void>;

  /** From now on it can be acknowledged. Repeating it changes nothing. @throws {WitnessMismatch} it was not accepted. */
  abstract finalize(id: string, now: number): Promise<void>;

  /** It is proven not to be in the log. Changes nothing unless it is prepared. */
  abstract withdraw(id: string, now: number): Promise<void>;

  /**
   * An operator's recovery has appended it again: accepts and finalizes it at its new position.
   * @throws {WitnessMismatch} it was prepared with other content, or not at all.
   */
  abstract move(id: string, proof: Proof, now: number): Promise<void>;

  /**
   * Puts down as finalized what the log has, at its place in it. It keeps its number, or takes that which it has in the log;
   * the next one where another has that, or where it would come before what it comes behind. Repeating it changes nothing.
   * @throws {WitnessMismatch} the same id with other content.
   */
  abstract reseed(restriction: Restriction, place: Place, now: number): Promise<Witnessed>;

  /** Those of these that the witness knows, by id. */
  abstract find(ids: readonly string[]): Promise<ReadonlyMap<string, Witnessed>>;

  /** Prepared or accepted ones with a greater number that were prepared before that time (Unix ms), in the order of their numbers. */
  abstract unsettled(before: number, afterEpoch: bigint, limit: number): Promise<readonly Witnessed[]>;

  /** Accepted and finalized ones with a greater number, in the order of their numbers. */
  abstract after(epoch: bigint, limit: number): Promise<readonly Witnessed[]>;

  /** Those of {@link after} without their content, which is what costs. */
  abstract acceptedAfter(epoch: bigint, limit: number): Promise<readonly Accepted[]>;

  /** Of accepted and finalized ones with these numbers: of very many, their contents are what costs. */
  abstract digest(range: Range): Promise<Digest>;

  /** Withdrawn ones with a greater number, in the order of their numbers: few, since a process has to die for each. */
  abstract withdrawn(afterEpoch: bigint, limit: number): Promise<readonly Witnessed[]>;

  /** Those of {@link after} that erase a person, without a look at all others. */
  abstract erasures(afterEpoch: bigint, limit: number): Promise<readonly Witnessed[]>;

  /** Goes through the whole chain. Undefined: every hash is right; else the number of the first line that is not. */
  abstract firstBroken(): Promise<bigint | undefined>;

  /** Does the work unless another process is at that work, by this name, at this moment: then answers false. */
  abstract alone(name: string, work: () => Promise<void>): Promise<boolean>;

  abstract close(): Promise<void>;
}

/** The witness did not answer in time, or cannot be reached. What was asked of it may have been done. */
export class WitnessUnavailable extends Error {
  override readonly name = 'WitnessUnavailable';
}

/** This process was not told where the witness is. */
export class WitnessRequired extends Error {
  override readonly name = 'WitnessRequired';
}

/** The witness holds something else under this id: somebody reused an id, or one of the two was tampered with. */
export class WitnessMismatch extends Error {
  override readonly name = 'WitnessMismatch';

  constructor(
    readonly step: 'prepare' | 'accept',
    message: string,
  ) {
    super(message);
  }
}

import type { EventMetadata } from '../recorded.js';
import type { RestrictionEvent } from '../restrictions.js';
import type { Digest, EpochRange } from './digest.js';

/** All that recovery needs to append the restriction again unchanged. Contains no personal data. */
export interface Restriction {
  readonly id: string;
  readonly stream: string;
  readonly event: RestrictionEvent;
  readonly metadata: EventMetadata;
}

/**
 * States of the two-phase write (docs/adr/0011-the-witness.md, "Writing a restriction"). `prepared`: recorded before
 * the append, so the log may have it or not. `accepted`: seen in the log at its position. `finalized`: may be
 * acknowledged. `withdrawn`: the log was read and did not have it.
 */
export type RestrictionState = 'prepared' | 'accepted' | 'finalized' | 'withdrawn';

export interface WitnessedRestriction {
  /**
   * The number of the restriction: from 1, in order of preparation, never reused. Equals the epoch in the event's
   * metadata, unless the witness was rolled back and reseeded since: then the witness's own epoch counts.
   */
  readonly epoch: bigint;
  readonly state: RestrictionState;
  readonly hash: Buffer;
  readonly position: bigint | undefined;
  readonly preparedAt: number;
  readonly restriction: Restriction;
}

export interface AcceptedRestriction {
  readonly id: string;
  readonly epoch: bigint;
  readonly position: bigint | undefined;
}

export interface AppendProof {
  readonly hash: Buffer;
  readonly position: bigint;
}

export interface RestrictionPlace {
  readonly position: bigint;
  readonly epoch: bigint | undefined;
  /** The epoch of the previous restriction in its stream, which the assigned epoch must exceed; 0: none. */
  readonly after: bigint;
}

/**
 * An append-only, hash-chained ledger of restrictions, in a failure domain of its own. Each line includes the hash of
 * the line before, so that no line can be changed, removed or inserted unnoticed. `now`: Unix milliseconds.
 * @throws {WitnessUnavailable} from every method, after its deadline. {@link WitnessRequired} from every method, if no
 * witness is configured.
 */
export abstract class Witness {
  /**
   * Records a restriction before its append. The same id with the same content returns the recorded one, which the
   * caller must append. A withdrawn one is prepared again, under its epoch.
   * @throws {WitnessMismatch} the id has other content.
   */
  abstract prepare(restriction: Restriction, now: number): Promise<WitnessedRestriction>;

  /**
   * Records the restriction's position in the log. Valid also after a withdrawal, because the log is the proof.
   * @throws {WitnessMismatch} it was prepared with other content, not prepared, or accepted at another position.
   */
  abstract accept(id: string, proof: AppendProof, now: number): Promise<void>;

  /**
   * Records that an accepted restriction may be acknowledged. Idempotent.
   * @throws {WitnessMismatch} it was not accepted.
   */
  abstract finalize(id: string, now: number): Promise<void>;

  /** Records that the log was read and lacks the restriction. No effect unless its state is `prepared`. */
  abstract withdraw(id: string, now: number): Promise<void>;

  /**
   * Accepts and finalizes a restriction at its new position, after a recovery appended it again.
   * @throws {WitnessMismatch} it was prepared with other content, or not prepared.
   */
  abstract move(id: string, proof: AppendProof, now: number): Promise<void>;

  /**
   * Records a restriction of the log as finalized. It keeps its epoch in the witness, else takes its epoch in the log.
   * It takes the next free epoch if that one is in use or does not follow `place.after`. Idempotent.
   * @throws {WitnessMismatch} the id has other content.
   */
  abstract reseed(
    restriction: Restriction,
    place: RestrictionPlace,
    now: number,
  ): Promise<WitnessedRestriction>;

  abstract find(ids: readonly string[]): Promise<ReadonlyMap<string, WitnessedRestriction>>;

  /**
   * The restrictions in state `prepared` or `accepted` that were prepared before `before` (Unix ms), after that epoch,
   * in order of epochs.
   */
  abstract unsettled(
    before: number,
    afterEpoch: bigint,
    limit: number,
  ): Promise<readonly WitnessedRestriction[]>;

  /** The accepted and finalized restrictions after that epoch, in order of epochs. */
  abstract after(epoch: bigint, limit: number): Promise<readonly WitnessedRestriction[]>;

  abstract acceptedAfter(epoch: bigint, limit: number): Promise<readonly AcceptedRestriction[]>;

  abstract digest(range: EpochRange): Promise<Digest>;

  abstract withdrawn(afterEpoch: bigint, limit: number): Promise<readonly WitnessedRestriction[]>;

  /** Restrictions of operators and of the shared token in this stream, in any state but withdrawn. */
  abstract ofOperators(stream: string): Promise<readonly WitnessedRestriction[]>;

  abstract erasures(afterEpoch: bigint, limit: number): Promise<readonly WitnessedRestriction[]>;

  /** Verifies the whole chain. @returns The number of the first invalid line; undefined: all are valid. */
  abstract firstBroken(): Promise<bigint | undefined>;

  abstract close(): Promise<void>;
}

export class WitnessUnavailable extends Error {
  override readonly name = 'WitnessUnavailable';
}

export class WitnessRequired extends Error {
  override readonly name = 'WitnessRequired';
}

/**
 * The witness has the restriction with other content, at another position or in another state, or not at all: its id
 * was reused, or a store was replaced or altered.
 */
export class WitnessMismatch extends Error {
  override readonly name = 'WitnessMismatch';

  constructor(
    readonly step: 'prepare' | 'accept',
    message: string,
  ) {
    super(message);
  }
}

/** Knows whether this process has proven that what is published lacks no restriction (recovery.md, "When does quarantine begin"). */
export abstract class RestrictionProof {
  /**
   * Why it has not, for read models that have applied so many restrictions (undefined: none are published, so that it is the log
   * that is to lack none), in words for an operator; undefined: it has.
   */
  abstract unprovenFor(witnessEpoch: bigint | undefined): string | undefined;

  /**
   * False: reads are admitted because the read models show every restriction of the witness, and the log, which was away,
   * was not compared since this process started.
   */
  abstract readonly isLogCompared: boolean;

  /** Resolves if the witness answers, or none is configured. Rejects if it does not. */
  abstract reachWitness(): Promise<void>;
}

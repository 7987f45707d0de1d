/** Proof of this process that the published read models lack no restriction (docs/adr/0011-the-witness.md). */
export abstract class RestrictionProof {
  /**
   * Returns the reason, for an operator, if completeness is not proven; undefined if it is.
   * @param witnessEpoch newest restriction that the read models applied; undefined if none are published: then the
   * log must be complete.
   */
  abstract unavailableReason(witnessEpoch: bigint | undefined): string | undefined;

  /**
   * False while the log could not be compared since the start of this process. Reads are admitted then because the
   * read models show every restriction of the witness.
   */
  abstract readonly isLogCompared: boolean;

  abstract reachWitness(): Promise<void>;
}

/** Proof, held by this process, that the published read models lack no restriction (docs/adr/0011-the-witness.md). */
export abstract class RestrictionProof {
  /**
   * Returns why it is not proven that no restriction is missing, for an operator; undefined if it is proven.
   * @param witnessEpoch epoch of the newest restriction that the read models applied; undefined: none are published,
   * and the log must be complete.
   */
  abstract unavailableReason(witnessEpoch: bigint | undefined): string | undefined;

  /**
   * False while this process admits reads although it has not compared log and witness since its start: the log is
   * down, and the read models show every restriction of the witness.
   */
  abstract readonly isLogCompared: boolean;

  abstract reachWitness(): Promise<void>;
}

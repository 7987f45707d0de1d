/** What commands ask of the read models, which are not theirs: only an erasure is not done before they are rid of it. */
export abstract class ReadModels {
  /**
   * Makes sure that no generation of read models has anything of an erased person left, the ones that are kept from
   * before with them. `position`: of the erasure, in the log. False: what is published does not show it yet.
   */
  abstract haveForgotten(actorId: string, position: bigint): Promise<boolean>;
}

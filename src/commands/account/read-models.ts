export abstract class ReadModels {
  /**
   * Removes every row of an erased person from all incarnations, retired ones included. `position`: of the erasure in
   * the log. Returns false while the published incarnation has not applied the erasure.
   */
  abstract haveErased(actorId: string, position: bigint): Promise<boolean>;
}

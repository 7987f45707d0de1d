export abstract class ReadModels {
  /**
   * Returns true once the published incarnation has applied an erasure. `position`: of the erasure in the log. Also
   * clears the person's texts in unpublished incarnations, such as retired ones, that have not applied it.
   */
  abstract haveErased(actorId: string, position: bigint): Promise<boolean>;
}

export abstract class ReadModels {
  /**
   * Clears the person's texts in unpublished incarnations, such as retired ones, that have not applied an erasure.
   * `position`: of the erasure in the log. Returns true once the published incarnation has applied it, too.
   */
  abstract finishErasure(actorId: string, position: bigint): Promise<boolean>;
}

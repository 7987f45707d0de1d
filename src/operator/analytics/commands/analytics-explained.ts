/** Runs `work` on a data set. @throws {Failure} in place of an error of its disk. */
export async function explained<Result>(dir: string, work: () => Result | Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    const { failureOf } = await import('../../../analytics/export/failures.js');
    throw await failureOf(error, dir);
  }
}

/** Works on all items, at most `atOnce` of them at a time, as {@link onWorkers}. */
export const inParallel = <Item, Result>(
  items: readonly Item[],
  atOnce: number,
  work: (item: Item) => Promise<Result>,
): Promise<readonly Result[]> =>
  onWorkers(Array.from({ length: atOnce }), items, (_worker, item) => work(item));

/**
 * Works on all items, on each worker on one at a time, and returns the results in the order of the items.
 * @throws the first fault, after all workers have finished their current item; no further item starts.
 */
export async function onWorkers<Worker, Item, Result>(
  workers: readonly Worker[],
  items: readonly Item[],
  work: (worker: Worker, item: Item) => Promise<Result>,
): Promise<readonly Result[]> {
  const results: Result[] = [];
  // A generator: a fault in one loop closes it for the other loops, too.
  const pending = (function* () {
    yield* items.entries();
  })();
  const outcomes = await Promise.allSettled(
    workers.map(async (worker) => {
      for (const [index, item] of pending) results[index] = await work(worker, item);
    }),
  );
  for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
  return results;
}

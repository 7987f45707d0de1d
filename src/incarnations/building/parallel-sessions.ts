import type { ClientBase } from 'pg';
import { BuildConnection } from './build-connection.js';

/** So many sessions are at work at once where one step need not wait for another: Postgres gives each a core. */
const LANES = 2;

/** Opens sessions that finish what is loaded, for `work`, and closes all of them, whatever comes of it. */
export async function withSessions<Result>(
  url: string,
  schemas: readonly string[],
  work: (lanes: readonly BuildConnection[]) => Promise<Result>,
): Promise<Result> {
  const lanes: BuildConnection[] = [];
  try {
    while (lanes.length < LANES) {
      const lane = await BuildConnection.open(url, schemas);
      lanes.push(lane);
      await lane.forFinishing();
    }
    return await work(lanes);
  } finally {
    for (const lane of lanes) await lane.close();
  }
}

/**
 * Does `work` for all items, each lane one after the other; an abort ends what every lane is at. Answers in the order of
 * the items. Rejects with the first fault, once every lane has ended what it was at: nothing is begun behind it.
 */
export async function inParallel<Item, Result>(
  lanes: readonly BuildConnection[],
  signal: AbortSignal,
  items: readonly Item[],
  work: (client: ClientBase, item: Item) => Promise<Result>,
): Promise<readonly Result[]> {
  const results: Result[] = [];
  // A generator, since a fault in one loop over it ends it for the others, too.
  const left = (function* () {
    yield* items.entries();
  })();
  const outcomes = await Promise.allSettled(
    lanes.map(async (lane) => {
      for (const [index, item] of left)
        results[index] = await lane.interruptibly(signal, () => work(lane.client, item));
    }),
  );
  for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
  return results;
}

import type { ClientBase } from 'pg';
import { BuildConnection } from './build-connection.js';

const SESSIONS = 2;

export async function withSessions<Result>(
  url: string,
  schemas: readonly string[],
  work: (sessions: readonly BuildConnection[]) => Promise<Result>,
): Promise<Result> {
  const sessions: BuildConnection[] = [];
  try {
    while (sessions.length < SESSIONS) {
      const session = await BuildConnection.open(url, schemas);
      sessions.push(session);
      await session.forFinishing();
    }
    return await work(sessions);
  } finally {
    for (const session of sessions) await session.close();
  }
}

/**
 * Runs `work` for all items on parallel sessions and returns the results in the order of the items. An abort
 * cancels every session.
 * @throws the first fault, after all sessions have finished their current item; no further item starts.
 */
export async function inParallel<Item, Result>(
  sessions: readonly BuildConnection[],
  signal: AbortSignal,
  items: readonly Item[],
  work: (client: ClientBase, item: Item) => Promise<Result>,
): Promise<readonly Result[]> {
  const results: Result[] = [];
  // A generator: a fault in one loop closes it for the other loops, too.
  const pending = (function* () {
    yield* items.entries();
  })();
  const outcomes = await Promise.allSettled(
    sessions.map(async (session) => {
      for (const [index, item] of pending)
        results[index] = await session.interruptibly(signal, () => work(session.client, item));
    }),
  );
  for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
  return results;
}

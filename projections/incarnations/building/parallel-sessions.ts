import type { ClientBase } from 'pg';
import { onWorkers } from '../../../src/base/support/in-parallel.js';
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

/** Runs `work` for all items on parallel sessions, as {@link onWorkers}. An abort cancels every session. */
export const inParallel = <Item, Result>(
  sessions: readonly BuildConnection[],
  signal: AbortSignal,
  items: readonly Item[],
  work: (client: ClientBase, item: Item) => Promise<Result>,
): Promise<readonly Result[]> =>
  onWorkers(sessions, items, (session, item) =>
    session.interruptibly(signal, () => work(session.client, item)),
  );

import { setTimeout as pause } from 'node:timers/promises';
import type { Pool } from 'pg';
import type { EventLog } from '../../src/log/event-log.js';
import { readPublicationState } from '../../projections/incarnations/recovery-state.js';
import { numbered, Society } from '../society.js';

export const THREAD = 'thread';
export const AUTHOR = 'author0';
const [AUTHORS, POSTS_EACH, MORE_THAN_A_PAGE] = [60, 20, 60];

/** The reader follows 60 people with 20 posts each, likes 60 posts, and has an inbox of 60 likes and follows. */
export async function seed(log: EventLog, readerId: string, pool: Pool): Promise<void> {
  const society = new Society(log);
  const authors = numbered('author', AUTHORS);
  await society.application('bench');
  await society.people(authors);
  await society.follows(authors.map((targetId) => ({ actorId: readerId, targetId })));
  await society.follows(authors.slice(1).map((actorId) => ({ actorId, targetId: AUTHOR })));
  await society.follows(authors.slice(1).map((targetId) => ({ actorId: AUTHOR, targetId })));
  await society.follows(authors.map((actorId) => ({ actorId, targetId: readerId })));
  const posts = Array.from({ length: AUTHORS * POSTS_EACH }, (_, n) => ({
    postId: `post${n}`,
    authorActorId: authors[n % AUTHORS] ?? '',
  }));
  await society.posts(posts);
  const thread = { postId: THREAD, authorActorId: AUTHOR };
  await society.posts([thread]);
  await society.posts(
    numbered('reply', MORE_THAN_A_PAGE).map((postId, n) => ({
      postId,
      authorActorId: authors[n % AUTHORS] ?? '',
      parentId: THREAD,
      parentAuthorActorId: AUTHOR,
      rootId: THREAD,
    })),
  );
  await society.posts(
    numbered('more', MORE_THAN_A_PAGE).map((postId) => ({ postId, authorActorId: AUTHOR })),
  );
  await society.likes(
    posts.slice(0, MORE_THAN_A_PAGE).map(({ postId: targetId, authorActorId: targetActorId }) => ({
      actorId: readerId,
      targetId,
      targetActorId,
    })),
  );
  await shown(log, pool);
}

/** Resolves when the read models include the whole log. */
export async function shown(log: EventLog, pool: Pool): Promise<void> {
  const head = await log.head();
  for (;;) {
    const { appliedPosition } = (await readPublicationState(pool)) ?? {};
    if (head === undefined || (appliedPosition ?? -1n) >= head) break;
    await pause(50);
  }
  // gives the planner the statistics of a network that has run for a while
  await pool.query('VACUUM ANALYZE');
}

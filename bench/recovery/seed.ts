import type { EventLog } from '../../src/log/event-log.js';
import { numbered, Society } from '../society.js';

const AUTHORS = 500;
const FOLLOWS_EACH = 10;

/**
 * A log of about `events` events. Six of ten are posts, a third of them replies; the rest are likes, edits, deletions
 * and blocks. Each person also follows ten others.
 */
export async function seed(log: EventLog, events: number): Promise<void> {
  const society = new Society(log);
  const authors = numbered('author', AUTHORS);
  const authorOf = (n: number) => authors[n % AUTHORS] ?? '';
  await society.application('bench');
  await society.people(authors);
  await society.follows(
    authors.flatMap((actorId, n) =>
      Array.from({ length: FOLLOWS_EACH }, (_, k) => ({ actorId, targetId: authorOf(n + k + 1) })),
    ),
  );
  const posts = Array.from({ length: Math.round(events * 0.6) }, (_, n) => {
    const post = { postId: `post${n}`, authorActorId: authorOf(n) };
    const [parentId, parentAuthorActorId] = [`post${n - 1}`, authorOf(n - 1)];
    return n % 3 === 2 ? { ...post, parentId, parentAuthorActorId, rootId: parentId } : post;
  });
  await society.posts(posts);
  await society.likes(
    posts
      .filter((_, n) => n % 3 === 0)
      .map(({ postId, authorActorId }, n) => ({
        actorId: authorOf(n * 7 + 13),
        targetId: postId,
        targetActorId: authorActorId,
      })),
  );
  await society.edits(posts.filter((_, n) => n % 6 === 1));
  await society.deletions(posts.filter((_, n) => n % 12 === 5));
  await society.blocks(authors.map((actorId, n) => ({ actorId, targetId: authorOf(n + FOLLOWS_EACH + 20) })));
}

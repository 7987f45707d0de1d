import type { SeenActor, SeenPost, View } from './checker/views.js';
import type { Session } from './client/session.js';
import type { Random } from './random.js';

const MOST_SINGLE = 200;
const MOST_LOOKED_UP = 200;

/** Reads one person's whole view. */
export async function readView(
  session: Session,
  actorId: string,
  actorIds: readonly string[],
  postIds: readonly string[],
  intentIds: readonly string[],
  random: Random,
): Promise<View> {
  const actors: Record<string, SeenActor | undefined> = {};
  for (const each of actorIds) actors[each] = await readActor(session, each);
  const single: Record<string, SeenPost | undefined> = {};
  for (const id of random.shuffled(postIds).slice(0, MOST_SINGLE)) {
    const { status, body } = await session.ask({ method: 'GET', path: `/api/posts/${id}` });
    single[id] = status === 200 ? seenPost(body.post) : undefined;
  }
  return {
    actorId,
    actors,
    timeline: (await pages(session, '/api/timeline?limit=100', 'posts')).map(seenPost),
    blocks: (await session.ask({ method: 'GET', path: '/api/blocks' })).body.blocks,
    relations: (await pages(session, '/api/relations?limit=500', 'relations')) as View['relations'],
    single,
    kept: await keptOf(session, intentIds),
  };
}

async function readActor(session: Session, actorId: string): Promise<SeenActor | undefined> {
  const { status, body } = await session.ask({ method: 'GET', path: `/api/actors/${actorId}` });
  if (status !== 200) return undefined;
  const { posts, followers, following } = body.actor;
  const list = await pages(session, `/api/actors/${actorId}/posts?limit=100`, 'posts');
  return { posts: list.map(seenPost), counts: { posts, followers, following } };
}

async function pages(session: Session, path: string, list: string): Promise<unknown[]> {
  const items: unknown[] = [];
  for (let cursor: string | undefined; ;) {
    const next = cursor === undefined ? path : `${path}&cursor=${encodeURIComponent(cursor)}`;
    const { status, body } = await session.ask({ method: 'GET', path: next });
    if (status !== 200) throw new Error(`${next}: ${status} ${body?.error}`);
    items.push(...body[list]);
    cursor = body.cursor;
    if (cursor === undefined) return items;
  }
}

async function keptOf(session: Session, intentIds: readonly string[]): Promise<string[]> {
  const kept: string[] = [];
  for (let n = 0; n < intentIds.length; n += MOST_LOOKED_UP) {
    const body = { intentIds: intentIds.slice(n, n + MOST_LOOKED_UP) };
    const answer = await session.ask({ method: 'POST', path: '/api/intents/lookup', body });
    const found = answer.body.intents as { intentId: string; outcome: string }[];
    kept.push(...found.filter(({ outcome }) => outcome === 'kept').map(({ intentId }) => intentId));
  }
  return kept;
}

const seenPost = (post: unknown): SeenPost => {
  const { id, text, revision, parentUnavailable } = post as SeenPost;
  return { id, text, revision, ...(parentUnavailable !== undefined && { parentUnavailable }) };
};

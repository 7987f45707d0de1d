import { randomUUID } from 'node:crypto';
import { derivedUuid } from '../../src/base/support/derived-uuid.js';
import { allScopes } from '../../src/domain/grant/scopes.js';
import type { PostCreated } from '../../src/domain/post/events.js';
import type { RelationEstablished } from '../../src/domain/relation/events.js';
import type { EventMetadata } from '../../src/log/recorded.js';
import type { StoredEvent } from '../../src/log/registry.js';
import { streams } from '../../src/log/streams.js';
import { Random } from '../audit/random.js';
import { curious, followedByCurious, full, grantOf, handleOf, peopleOf, postOf } from './society.js';
import type { Extent } from './society.js';
import { zipfBelow } from './zipf.js';

export interface SeededEvent {
  readonly stream: string;
  readonly event: StoredEvent;
  readonly metadata: EventMetadata;
}

const SEED = 34;
const appId = 'bench';
const [DAYS, DAY_MS] = [8, 24 * 60 * 60_000];
const FOLLOWS_EACH = 30;
/** Shares of posts: those that are replies, and likes beside them. */
const [REPLIES, LIKES] = [0.2, 0.25];
const POSTS_A_LIKE_OF_FULL = 10;
const TEXT = 'What a person writes is often about as long as this, which is to say not very long. '.repeat(2);

/**
 * A network of eight days until `end` (Unix milliseconds): everybody registers and follows thirty others on average,
 * then come posts, replies and likes. Old posts have the most replies and likes.
 */
export function* eventsOf(extent: Extent, end: number): Generator<SeededEvent> {
  const { actors, posts } = extent;
  const random = new Random(SEED);
  const zipf = zipfBelow(actors, random);
  const people = peopleOf(extent);
  const person = (rank: number) => people[rank] ?? '';
  const begin = end - DAYS * DAY_MS;

  yield* registrations(people, begin);
  const isNewPair = withoutRepetition(actors);
  for (let left = actors * FOLLOWS_EACH; left > 0;) {
    const [actor, target] = [random.below(actors), zipf()];
    if (actor === target || !isNewPair(actor, target)) continue;
    yield follow(person(actor), person(target), begin);
    left--;
  }
  for (const target of followedByCurious(extent)) yield follow(curious, target, begin);
  const likesOfFull = Math.floor(posts / POSTS_A_LIKE_OF_FULL);
  for (let n = 0; n * actors < likesOfFull; n++)
    yield post({ postId: postOfFull(n), authorActorId: full, at: begin });

  const [authors, roots] = [new Uint32Array(posts), new Uint32Array(posts)];
  const authorOf = (n: number) => person(authors[n] ?? 0);
  const isNewLike = withoutRepetition(actors);
  for (let n = 0; n < posts; n++) {
    const at = begin + Math.floor(((end - begin) / posts) * n);
    const parent = n > 0 && random.chance(REPLIES) ? random.skewedBelow(n) : undefined;
    authors[n] = zipf();
    roots[n] = parent === undefined ? n : (roots[parent] ?? n);
    const thread = parent !== undefined && {
      parentId: postOf(parent),
      parentAuthorActorId: authorOf(parent),
      rootId: postOf(roots[n] ?? n),
    };
    yield post({ postId: postOf(n), authorActorId: authorOf(n), ...thread, at });
    if (random.chance(LIKES)) {
      const [target, actor] = [random.skewedBelow(n + 1), zipf()];
      if (isNewLike(target, actor)) yield like(person(actor), postOf(target), authorOf(target), at);
    }
    const liked = n / POSTS_A_LIKE_OF_FULL;
    if (Number.isInteger(liked) && liked < likesOfFull)
      yield like(person(liked % actors), postOfFull(Math.floor(liked / actors)), full, at);
  }
}

const postOfFull = (n: number) => derivedUuid(`post ${n} of full`);

function withoutRepetition(most: number): (first: number, second: number) => boolean {
  const known = new Set<number>();
  return (first, second) => known.size < known.add(first * most + second).size;
}

function* registrations(people: readonly string[], at: number): Generator<SeededEvent> {
  const metadata = { requestId: 'bench' };
  const uris = { redirectUris: [], postLogoutRedirectUris: [] };
  yield {
    stream: streams.application(appId),
    event: { type: 'application.registered', data: { appId, name: 'Bench', ...uris, scopes: allScopes, at } },
    metadata,
  };
  for (const [n, actorId] of people.entries()) {
    const handle = handleOf(n);
    const named = { handle, displayName: `Person ${n}`, email: `${handle}@example.org` };
    yield {
      stream: streams.account(actorId),
      event: { type: 'account.registered', data: { actorId, ...named, at } },
      metadata,
    };
    const grantId = grantOf(actorId);
    yield {
      stream: streams.grant(grantId),
      event: { type: 'grant.issued', data: { grantId, appId, actorId, scopes: allScopes, at } },
      metadata,
    };
  }
}

const by = (actorId: string): EventMetadata => ({
  requestId: randomUUID(),
  addressClass: 'public-ipv4',
  actorId,
  appId,
  grantId: grantOf(actorId),
  intentId: randomUUID(),
});

function post(data: Omit<PostCreated['data'], 'appId' | 'text' | 'audience' | 'mentions'>): SeededEvent {
  const { postId, authorActorId } = data;
  return {
    stream: streams.post(postId),
    event: { type: 'post.created', data: { ...data, appId, text: TEXT, audience: 'public', mentions: [] } },
    metadata: by(authorActorId),
  };
}

const follow = (actorId: string, targetId: string, at: number): SeededEvent =>
  relation(streams.pair(actorId, targetId), {
    kind: 'follow',
    actorId,
    targetId,
    targetActorId: targetId,
    generation: 1,
    at,
  });

const like = (actorId: string, targetId: string, targetActorId: string, at: number): SeededEvent =>
  relation(streams.like(actorId, targetId), {
    kind: 'like',
    actorId,
    targetId,
    targetActorId,
    generation: 1,
    at,
  });

const relation = (stream: string, data: RelationEstablished['data']): SeededEvent => ({
  stream,
  event: { type: 'relation.established', data },
  metadata: by(data.actorId),
});

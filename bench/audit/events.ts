import { randomUUID } from 'node:crypto';
import type { EventMetadata, Recorded } from '../../src/log/recorded.js';
import type { StoredEvent } from '../../src/log/registry.js';
import { streams } from '../../src/log/streams.js';
import type { Random } from './random.js';

/** Above every position of the network's own events. */
const FIRST_POSITION = 1_000_000_000_000;
const EVENT_BYTES = 700;
const DAYS = 14;

const ACTORS = 20_000;
const APPLICATIONS = 20;
const OPERATORS = 5;

/** Recorded events of two weeks, up to now, in the order of the log. Few actors and applications cause most of them. */
export function* recordedEvents(count: number, random: Random): Generator<Recorded> {
  const begin = Date.now() - DAYS * 24 * 60 * 60_000;
  for (let n = 0; n < count; n++) {
    const at = begin + Math.floor(((Date.now() - begin) / count) * n);
    const [stream, event, metadata] = eventOf(n, at, random);
    yield {
      id: randomUUID(),
      stream,
      revision: 0n,
      position: BigInt(FIRST_POSITION + n * EVENT_BYTES),
      event,
      metadata: { requestId: randomUUID(), clientRequestId: randomUUID(), ...metadata },
      erased: false,
    };
  }
}

type Drawn = readonly [string, StoredEvent, Partial<EventMetadata>];

const actor = (random: Random) => `actor${random.skewedBelow(ACTORS)}`;

function eventOf(n: number, at: number, random: Random): Drawn {
  const [actorId, other, drawn] = [actor(random), actor(random), random.next()];
  const appId = `app${random.skewedBelow(APPLICATIONS)}`;
  const grantId = `${actorId}-${appId}`;
  const through = { actorId, appId, grantId, intentId: randomUUID(), addressClass: 'public-ipv4' as const };
  const postId = `post${drawn < 0.55 ? n : random.below(n + 1)}`;
  const post = { postId, authorActorId: actorId, appId, at };
  const relation = { actorId, targetActorId: other, generation: 1, at };
  const text = { text: '', mentions: [] };
  if (drawn < 0.55)
    return [
      streams.post(postId),
      { type: 'post.created', data: { ...post, ...text, audience: 'public' } },
      through,
    ];
  if (drawn < 0.65)
    return [streams.post(postId), { type: 'post.edited', data: { ...post, ...text, revision: 2 } }, through];
  if (drawn < 0.7)
    return [
      streams.post(postId),
      { type: 'post.deleted', data: { postId, authorActorId: actorId, at } },
      through,
    ];
  if (drawn < 0.84)
    return [
      streams.like(actorId, postId),
      { type: 'relation.established', data: { ...relation, kind: 'like', targetId: postId } },
      through,
    ];
  if (drawn < 0.9)
    return [
      streams.pair(actorId, other),
      { type: 'relation.established', data: { ...relation, kind: 'follow', targetId: other } },
      through,
    ];
  if (drawn < 0.95)
    return [
      streams.signIns(actorId),
      { type: 'account.signed_in', data: { actorId, at } },
      { actorId, appId },
    ];
  if (drawn < 0.98)
    return [
      streams.grant(grantId),
      { type: 'grant.refreshed', data: { grantId, appId, actorId, at } },
      { appId },
    ];
  if (drawn < 0.99)
    return [
      streams.pair(actorId, other),
      { type: 'block.established', data: { actorId, targetActorId: other, at } },
      through,
    ];
  return [
    streams.account(actorId),
    { type: 'account.suspended', data: { actorId, at } },
    { operator: `operator${random.below(OPERATORS)}`, reason: 'a benchmark' },
  ];
}

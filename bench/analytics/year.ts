import { randomUUID } from 'node:crypto';
import type { EventLog, NewEvent } from '../../src/log/event-log.js';
import type { EventMetadata, Recorded } from '../../src/log/recorded.js';
import type { StoredEvent } from '../../src/log/registry.js';
import type { Random } from '../audit/random.js';

const DAY_MS = 24 * 60 * 60_000;
const DAYS = 90;
const ACTORS = 20_000;
const APPLICATIONS = 20;
const EVENT_BYTES = 700;
const TEXT = 'What a person writes is often about as long as this, which is to say not very long. '.repeat(2);

/** Events of 90 days in their order, as if a log had recorded them. Few actors and applications cause most of them. */
export function* eventsOfDays(count: number, random: Random): Generator<Recorded> {
  const begin = Date.UTC(2026, 0, 5);
  const posts: { readonly postId: string; readonly authorActorId: string }[] = [];
  const people = Math.min(ACTORS, Math.ceil(count / 20));
  let position = 0;
  const record = (event: StoredEvent, metadata: Partial<EventMetadata>): Recorded => ({
    id: randomUUID(),
    stream: 'plaza_bench',
    revision: 0n,
    position: BigInt((position += EVENT_BYTES)),
    event,
    metadata: { requestId: randomUUID(), ...metadata },
    erased: false,
  });
  for (let n = 0; n < APPLICATIONS; n++) {
    const uris = { redirectUris: [], postLogoutRedirectUris: [], scopes: [] };
    const data = { appId: `app${n}`, name: `Application ${n}`, ...uris, at: begin };
    yield record({ type: 'application.registered', data }, {});
  }
  const joinEvery = Math.floor(count / people);
  let joined = 0;
  for (let n = 0; n < count; n++) {
    const at = begin + Math.floor(((DAYS * DAY_MS) / count) * n);
    if (n % joinEvery === 0 && joined < people) {
      const [actorId, appId] = [`actor${joined}`, `app${random.skewedBelow(APPLICATIONS)}`];
      const grant = { grantId: `grant${joined++}`, appId, actorId, at };
      const account = { actorId, handle: actorId, displayName: actorId, email: `${actorId}@example.org`, at };
      yield record({ type: 'account.registered', data: account }, { actorId });
      yield record({ type: 'grant.issued', data: { ...grant, scopes: ['read'] } }, { actorId, appId });
      if (random.chance(0.2))
        yield record({ type: 'grant.revoked', data: { ...grant, cause: 'person' } }, { actorId });
    }
    const actorId = `actor${random.skewedBelow(joined)}`;
    const appId = `app${random.skewedBelow(APPLICATIONS)}`;
    const by = { actorId, appId, grantId: `grant-${actorId}`, addressClass: 'public-ipv4' as const };
    const seen = posts[random.below(posts.length)];
    const drawn = random.next();
    if (drawn < 0.5 || !seen) {
      const post = { postId: `post${n}`, authorActorId: actorId };
      posts.push(post);
      const reply = drawn < 0.15 && seen ? replyTo(seen) : {};
      const text = { text: TEXT, audience: 'public', mentions: [] } as const;
      yield record({ type: 'post.created', data: { ...post, ...reply, appId, ...text, at } }, by);
    } else if (drawn < 0.75) {
      const like = { kind: 'like', targetId: seen.postId, targetActorId: seen.authorActorId } as const;
      yield record({ type: 'relation.established', data: { ...like, actorId, generation: 1, at } }, by);
    } else if (drawn < 0.83) {
      const target = { targetId: seen.authorActorId, targetActorId: seen.authorActorId };
      const data = { kind: 'follow', actorId, ...target, generation: 1, at } as const;
      yield record({ type: 'relation.established', data }, by);
    } else if (drawn < 0.98) yield record({ type: 'account.signed_in', data: { actorId, at } }, { actorId });
    else {
      const subject = { postId: seen.postId, targetActorId: seen.authorActorId };
      const report = {
        reportId: `report${n}`,
        reporterActorId: actorId,
        appId,
        ...subject,
        reason: 'spam',
      } as const;
      yield record({ type: 'report.created', data: { ...report, text: 'a text', at } }, by);
      if (random.chance(0.1)) continue;
      const decision = {
        caseId: `post-${seen.postId}`,
        ...subject,
        operatorId: 'operator',
        decisionId: `decision${n}`,
        seenEventIds: [],
        networkRevision: Number.MAX_SAFE_INTEGER,
        outcome: 'no_violation',
        effects: [],
        notice: '',
        at: at + Math.floor(2 * DAY_MS * random.next()),
      } as const;
      yield record({ type: 'case.decided', data: decision }, { operatorId: 'operator' });
    }
  }
}

const replyTo = ({ postId, authorActorId }: { readonly postId: string; readonly authorActorId: string }) => ({
  parentId: postId,
  parentAuthorActorId: authorActorId,
  rootId: postId,
});

const EVENTS_AN_APPEND = 250;
const WRITERS = 4;

/** Appends events to streams of many events each, which is faster than one append for each. Returns their number. */
export async function appendAll(log: EventLog, events: Iterable<Recorded>): Promise<number> {
  let [streams, appended] = [0, 0];
  const batches = batchesOf(events);
  const write = async () => {
    for (const batch of batches) {
      await log.append({
        stream: `plaza_bench-${streams++}`,
        expected: 'no_stream',
        events: batch,
        metadata: { requestId: 'bench' },
      });
      appended += batch.length;
    }
  };
  await Promise.all(Array.from({ length: WRITERS }, write));
  return appended;
}

function* batchesOf(events: Iterable<Recorded>): Generator<readonly NewEvent[]> {
  let batch: NewEvent[] = [];
  for (const { id, event, metadata } of events) {
    batch.push({ id, event, metadata });
    if (batch.length < EVENTS_AN_APPEND) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

import { randomUUID } from 'node:crypto';
import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { operatorOf, registerApplication, send } from '../support/api.js';
import { personWithToken } from '../support/people.js';
import type { Application, SignedIn } from '../support/api.js';
import { sharedNetwork } from '../support/shared-network.js';
import type { SharedNetwork } from '../support/shared-network.js';
import { block, removePost, follow, like, post, unblock, unfollow, unlike } from '../support/social.js';
import { until } from '../support/until.js';

const scopes = 'openid read post:create post:delete relation:write block:write inbox:write';

let network: SharedNetwork;
let application: Application;
/** Owner of the inbox, and the person who acts. Both are new for each test. */
let ann: SignedIn;
let ben: SignedIn;

beforeAll(async () => {
  network = await sharedNetwork();
  application = await registerApplication(network);
});

const person = (): Promise<SignedIn> => personWithToken(network, application, scopes);

beforeEach(async () => {
  [ann, ben] = await Promise.all([person(), person()]);
});

interface Entry {
  readonly id: string;
  readonly kind: string;
  readonly sourceId: string;
  readonly createdAt: number;
  readonly readAt?: number;
}

const errorBody = (code: string) => ({ error: code, message: expect.any(String) });
const inboxOf = async (
  who: SignedIn,
  query = '',
): Promise<{ inbox: Entry[]; unread: number; cursor?: string }> => (await who.get(`/api/inbox${query}`)).body;
const kindsAndUnread = async (who: SignedIn) => {
  const { inbox, unread } = await inboxOf(who);
  return [inbox.map(({ kind }) => kind), unread];
};
const mark = (who: SignedIn, entries: object, intentId: string = randomUUID()) =>
  who.post('/api/inbox/read', { intentId, ...entries });
const handleOf = async (who: SignedIn) => (await who.get('/api/profile')).body.profile.handle as string;

describe('an inbox', () => {
  it('lists follows, likes, replies and mentions, newest first, and none of one’s own acts', async () => {
    const own = await post(ann, 'hello');
    await follow(ben, ann);
    await like(ben, own);
    const reply = await post(ben, 'a reply', { parentId: own });
    const mention = await post(ben, `hello @${await handleOf(ann)}`);
    await post(ann, `to myself, @${await handleOf(ann)}`, { parentId: own });
    await like(ann, own);
    const { body, headers } = await ann.get('/api/inbox');
    const entry = { id: expect.any(String), sourceActorId: ben.actorId, createdAt: expect.any(Number) };
    expect(body).toEqual({
      inbox: [
        { ...entry, kind: 'mention', sourceId: mention },
        { ...entry, kind: 'reply', sourceId: reply },
        { ...entry, kind: 'like', sourceId: own },
        { ...entry, kind: 'follow', sourceId: ben.actorId },
      ],
      unread: 4,
    });
    expect(headers.get('x-network-actor-id')).toBe(ann.actorId);
    expect(await kindsAndUnread(ben)).toEqual([[], 0]);
  });

  it('lists a reply that mentions its reader once', async () => {
    const own = await post(ann, 'hello');
    await post(ben, `@${await handleOf(ann)}, a reply`, { parentId: own });
    expect(await kindsAndUnread(ann)).toEqual([['reply'], 1]);
  });

  it('drops the entry of an ended follow, and lists a renewed one as unread', async () => {
    await follow(ben, ann);
    const [first] = (await inboxOf(ann)).inbox;
    await mark(ann, { ids: [first?.id] });
    await unfollow(ben, ann);
    expect(await kindsAndUnread(ann)).toEqual([[], 0]);
    await follow(ben, ann);
    const { inbox, unread } = await inboxOf(ann);
    expect([inbox.map(({ id }) => id), unread]).toEqual([[first?.id], 1]);
    expect(inbox[0]).not.toHaveProperty('readAt');
    expect(inbox[0]?.createdAt).toBeGreaterThan(first?.createdAt ?? 0);
  });

  it('hides deleted, blocked and suspended sources, and does not count them', async () => {
    const own = await post(ann, 'hello');
    await follow(ben, ann);
    await like(ben, own);
    const reply = await post(ben, 'a reply', { parentId: own });
    await removePost(ben, reply);
    expect(await kindsAndUnread(ann)).toEqual([['like', 'follow'], 2]);
    await operatorOf(network).post('accounts/:id/suspend', { id: ben.actorId, reason: 'test' });
    await until(async () => (await inboxOf(ann)).unread === 0);
    await operatorOf(network).post('accounts/:id/reinstate', { id: ben.actorId, reason: 'test' });
    await until(async () => (await inboxOf(ann)).unread === 2);
    await block(ann, ben);
    expect(await kindsAndUnread(ann)).toEqual([[], 0]);
    await unblock(ann, ben);
    expect(await kindsAndUnread(ann)).toEqual([['like'], 1]);
    await unlike(ben, own);
    expect(await kindsAndUnread(ann)).toEqual([[], 0]);
  });

  it('comes in pages that show each entry once, even as new entries arrive', async () => {
    const own = await post(ann, 'hello');
    for (let n = 0; n < 5; n++) await post(ben, `reply ${n}`, { parentId: own });
    const whole = (await inboxOf(ann)).inbox.map(({ id }) => id);
    const seen: string[] = [];
    for (let cursor: string | undefined = ''; cursor !== undefined;) {
      const page = await inboxOf(ann, `?limit=2${cursor && `&cursor=${cursor}`}`);
      seen.push(...page.inbox.map(({ id }) => id));
      expect(page.unread).toBeGreaterThanOrEqual(5);
      cursor = page.cursor;
      await post(ben, 'meanwhile', { parentId: own });
    }
    expect(seen).toEqual(whole);
  });

  it('needs a token with the scope read, and refuses other cursors', async () => {
    const nobody = await send(network.baseUrl, 'GET', '/api/inbox');
    expect([nobody.status, nobody.body]).toEqual([401, errorBody('authentication_required')]);
    const marker = await personWithToken(network, application, 'openid inbox:write');
    const refused = await marker.get('/api/inbox');
    expect([refused.status, refused.body]).toEqual([403, errorBody('capability_required')]);
    for (const cursor of ['', 'abc', 'AAAAAAAAAAAAAAAAAAAAAAAAAAAA']) {
      const answer = await ann.get(`/api/inbox?cursor=${cursor}`);
      expect([answer.status, answer.body]).toEqual([400, errorBody('invalid_page_cursor')]);
    }
  });
});

describe('marking as read', () => {
  let entries: readonly Entry[];
  beforeEach(async () => {
    const own = await post(ann, 'hello');
    for (let n = 0; n < 4; n++) await post(ben, `reply ${n}`, { parentId: own });
    entries = (await inboxOf(ann)).inbox;
  });
  const readMarksOf = async (who: SignedIn) =>
    (await inboxOf(who)).inbox.map(({ readAt }) => readAt !== undefined);

  it('accepts one entry, several, or all up to a time, and returns the number of unread entries', async () => {
    const one = await mark(ann, { ids: [entries[0]?.id] });
    expect([one.status, one.body]).toEqual([200, { unread: 3 }]);
    expect(one.headers.get('x-network-write-revision')).toMatch(/^[0-9]+$/);
    expect(one.headers.get('x-network-revision')).toBeNull();
    expect(await readMarksOf(ann)).toEqual([true, false, false, false]);
    expect((await mark(ann, { ids: entries.slice(0, 2).map(({ id }) => id) })).body).toEqual({ unread: 2 });
    expect((await mark(ann, { upTo: (entries[2]?.createdAt ?? 0) - 1 })).body.unread).toBeLessThanOrEqual(2);
    expect((await mark(ann, { upTo: entries[2]?.createdAt })).body).toEqual({ unread: 0 });
    expect(await readMarksOf(ann)).toEqual([true, true, true, true]);
  });

  it('does not mark later entries, even with a time in the future', async () => {
    expect((await mark(ann, { upTo: Date.now() + 3_600_000 })).body).toEqual({ unread: 0 });
    await follow(ben, ann);
    expect((await inboxOf(ann)).unread).toBe(1);
  });

  it('ignores unknown ids and ids of other people', async () => {
    expect((await mark(ben, { ids: ['nothing', ...entries.map(({ id }) => id)] })).body).toEqual({
      unread: 0,
    });
    expect((await inboxOf(ann)).unread).toBe(4);
  });

  it('runs once per intent, which conflicts with another payload', async () => {
    const intentId = randomUUID();
    const body = { ids: [entries[0]?.id] };
    const answers = await Promise.all(Array.from({ length: 4 }, () => mark(ann, body, intentId)));
    expect(answers.map(({ status, body }) => [status, body])).toEqual(
      answers.map(() => [200, { unread: 3 }]),
    );
    expect(new Set(answers.map(({ headers }) => headers.get('x-network-write-revision'))).size).toBe(1);
    await mark(ann, { ids: [entries[1]?.id] });
    expect((await mark(ann, body, intentId)).body).toEqual({ unread: 2 });
    const other = await mark(ann, { upTo: 1 }, intentId);
    expect([other.status, other.body]).toEqual([409, errorBody('intent_conflict')]);
    expect((await mark(ben, { upTo: 1 }, intentId)).status).toBe(200);
  });

  it('accepts one of two conflicting concurrent requests', async () => {
    const intentId = randomUUID();
    const answers = await Promise.all([
      mark(ann, { ids: [entries[0]?.id] }, intentId),
      mark(ann, { ids: [entries[1]?.id] }, intentId),
    ]);
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409]);
    expect((await inboxOf(ann)).unread).toBe(3);
  });

  it('counts every one of many concurrent requests', async () => {
    await Promise.all(entries.map(({ id }) => mark(ann, { ids: [id] })));
    expect((await inboxOf(ann)).unread).toBe(0);
  });

  it.each([
    ['neither ids nor a time', {}],
    ['both ids and a time', { ids: ['a'], upTo: 1 }],
    ['no ids', { ids: [] }],
    ['too many ids', { ids: Array.from({ length: 201 }, (_, n) => `i${n}`) }],
    ['a malformed id', { ids: ['a b'] }],
    ['ids that are no list', { ids: 'a' }],
    ['a negative time', { upTo: -1 }],
    ['a fractional time', { upTo: 1.5 }],
    ['a time as a string', { upTo: 'now' }],
    ['a time of null', { upTo: null }],
  ])('refuses %s', async (_what, body) => {
    const answer = await mark(ann, body);
    expect([answer.status, answer.body]).toEqual([400, errorBody('invalid_request')]);
  });

  it('refuses a missing intent, unknown fields, and a token without the scope', async () => {
    const without = await ann.post('/api/inbox/read', { upTo: 1 });
    expect([without.status, without.body]).toEqual([400, errorBody('intent_required')]);
    const more = await mark(ann, { upTo: 1, actorId: ben.actorId });
    expect([more.status, more.body]).toEqual([400, errorBody('unknown_or_immutable_field')]);
    const reader = await personWithToken(network, application, 'openid read');
    const refused = await mark(reader, { upTo: 1 });
    expect([refused.status, refused.body]).toEqual([403, errorBody('capability_required')]);
    const nobody = await send(network.baseUrl, 'POST', '/api/inbox/read', {
      body: { intentId: 'i', upTo: 1 },
    });
    expect([nobody.status, nobody.body]).toEqual([401, errorBody('authentication_required')]);
  });

  it('succeeds for a token that may mark and not read', async () => {
    const marker = await personWithToken(network, application, 'openid inbox:write');
    expect((await mark(marker, { upTo: 1 })).body).toEqual({ unread: 0 });
  });
});

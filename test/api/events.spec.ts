import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { allScopes } from '../../src/domain/grant/scopes.js';
import { registerApplication, send } from '../support/api.js';
import { personWithToken } from '../support/people.js';
import type { Answer, SignedIn } from '../support/api.js';
import { lentNetwork } from '../support/lent-network.js';
import type { TestNetwork } from '../support/network.js';

let network: TestNetwork;
let alice: SignedIn;
let bob: SignedIn;
let eve: SignedIn;

beforeAll(async () => {
  network = await lentNetwork();
  const application = await registerApplication(network);
  const scope = [...allScopes].join(' ');
  alice = await personWithToken(network, application, scope);
  bob = await personWithToken(network, application, scope);
  eve = await personWithToken(network, application, scope);
});

afterAll(() => network?.stop());

const errorBody = (code: string) => ({ error: code, message: expect.any(String) });
const intentId = () => randomUUID();
const follow = (by: SignedIn, whom: SignedIn) =>
  by.put(`/api/relations/follow/${whom.actorId}`, { intentId: intentId() });
const unfollow = (by: SignedIn, whom: SignedIn) =>
  by.delete(`/api/relations/follow/${whom.actorId}?intentId=${intentId()}`);
const currentCursor = async (by: SignedIn) => Number((await by.get('/api/events')).body.cursor);
const eventsAfter = (by: SignedIn, cursor: number, more = '') =>
  by.get(`/api/events?cursor=${cursor}${more}`);
const kinds = ({ body }: Answer) => body.events.map(({ kind }: { kind: string }) => kind);

describe('events', () => {
  it('begin now if no cursor is sent', async () => {
    await alice.say('before');
    const { status, body, headers } = await alice.get('/api/events');
    expect(status).toBe(200);
    expect(body).toEqual({ events: [], cursor: Number(headers.get('x-network-revision')), replace: false });
  });

  it('show followers and the author each change of a post, with its current content', async () => {
    await follow(bob, alice);
    const cursor = await currentCursor(bob);
    const { body: made } = await alice.say('hello');
    const { id } = made.post;
    const created = await eventsAfter(bob, cursor);
    expect(created.body.events).toEqual([
      {
        position: expect.any(Number),
        kind: 'post.created',
        at: expect.any(Number),
        actorId: alice.actorId,
        post: expect.objectContaining({ id, text: 'hello', revision: 1 }),
      },
    ]);
    await alice.patch(`/api/posts/${id}`, { intentId: intentId(), revision: 1, text: 'hello again' });
    const edited = await eventsAfter(alice, created.body.cursor);
    expect(edited.body.events).toMatchObject([
      { kind: 'post.edited', post: { id, text: 'hello again', edited: true } },
    ]);
    await alice.delete(`/api/posts/${id}?intentId=${intentId()}&revision=2`);
    const deleted = await eventsAfter(bob, cursor);
    expect(deleted.body.events).toEqual([
      {
        position: expect.any(Number),
        kind: 'post.deleted',
        at: expect.any(Number),
        actorId: alice.actorId,
        postId: id,
      },
    ]);
    expect((await eventsAfter(eve, cursor)).body).toMatchObject({ events: [], replace: false });
  });

  it('show own relations, and new inbox entries to the other side', async () => {
    const [mine, theirs] = [await currentCursor(eve), await currentCursor(alice)];
    await follow(eve, alice);
    expect((await eventsAfter(eve, mine)).body.events).toMatchObject([
      {
        kind: 'relation.established',
        actorId: eve.actorId,
        relation: { kind: 'follow', actorId: eve.actorId, targetId: alice.actorId, generation: '1' },
      },
    ]);
    expect((await eventsAfter(alice, theirs)).body.events).toMatchObject([
      { kind: 'inbox.added', actorId: eve.actorId, entry: { kind: 'follow', sourceId: eve.actorId } },
    ]);
    const between = await currentCursor(alice);
    await unfollow(eve, alice);
    expect((await eventsAfter(eve, mine)).body.events).toMatchObject([
      { kind: 'relation.ended', relation: { targetId: alice.actorId, generation: '1' } },
    ]);
    // No event reports that an entry left the inbox.
    expect((await eventsAfter(alice, between)).body).toEqual({
      events: [],
      cursor: expect.any(Number),
      replace: true,
    });
  });

  it('show changed profiles as others see them', async () => {
    await follow(bob, alice);
    const cursor = await currentCursor(bob);
    const { body } = await alice.get('/api/profile');
    const { revision } = body.profile;
    await alice.patch('/api/profile', { intentId: intentId(), revision, bio: 'keeper of lamps' });
    expect((await eventsAfter(bob, cursor)).body.events).toMatchObject([
      { kind: 'profile.changed', actorId: alice.actorId, profile: { bio: 'keeper of lamps' } },
    ]);
  });

  it('ask both sides of a block to reconcile, and nobody else', async () => {
    const cursor = await currentCursor(bob);
    await bob.put(`/api/blocks/${eve.actorId}`, { intentId: intentId() });
    expect((await eventsAfter(bob, cursor)).body.replace).toBe(true);
    expect((await eventsAfter(eve, cursor)).body.replace).toBe(true);
    expect((await eventsAfter(alice, cursor)).body.replace).toBe(false);
    await bob.delete(`/api/blocks/${eve.actorId}?intentId=${intentId()}`);
  });

  it('show an anonymous caller public posts alone', async () => {
    const cursor = await currentCursor(alice);
    const { body } = await eve.say('for everybody');
    await follow(eve, alice);
    const answer = await send(network.baseUrl, 'GET', `/api/events?cursor=${cursor}`);
    expect(answer.body.events).toMatchObject([{ kind: 'post.created', post: { id: body.post.id } }]);
    expect(answer.headers.get('x-network-actor-id')).toBeNull();
  });

  it('come in consecutive pages without repeats or gaps, and an empty page moves the cursor', async () => {
    const start = await currentCursor(alice);
    const ids: string[] = [];
    for (let n = 0; n < 5; n++) ids.push((await alice.say(`number ${n}`)).body.post.id);
    const seen: string[] = [];
    for (let cursor = start; ;) {
      const { body, headers } = await eventsAfter(alice, cursor, '&limit=2');
      expect(body.events.length).toBeLessThanOrEqual(2);
      seen.push(...body.events.map(({ post }: { post: { id: string } }) => post.id));
      cursor = body.cursor;
      if (cursor === Number(headers.get('x-network-revision'))) break;
    }
    expect(seen).toEqual(ids);
    const others = await eventsAfter(eve, await currentCursor(eve));
    expect(others.body.events).toEqual([]);
  });

  it.each(['abc', '-1', '1.5', '', '1e3', '9007199254740993', '1&cursor=2'])(
    'refuse the cursor %s',
    async (cursor) => {
      for (const path of ['/api/events', '/api/reconcile']) {
        const answer = await alice.get(`${path}?cursor=${cursor}`);
        expect([answer.status, answer.body]).toEqual([400, errorBody('invalid_cursor')]);
      }
    },
  );

  it.each(['0', '-1', '1e9', 'abc', '50.5', '500'])('accept the limit %s', async (limit) => {
    const answer = await eventsAfter(alice, await currentCursor(alice), `&limit=${limit}`);
    expect([answer.status, kinds(answer)]).toEqual([200, []]);
  });

  it('ask the client to reconcile if the cursor is ahead of the log', async () => {
    expect((await eventsAfter(alice, 9_007_199_254_740_991)).body).toMatchObject({
      events: [],
      replace: true,
    });
  });

  it('need the scope read, and refuse an unknown token', async () => {
    const writer = await personWithToken(network, await registerApplication(network), 'openid post:create');
    const answer = await writer.get('/api/events');
    expect([answer.status, answer.body]).toEqual([403, errorBody('capability_required')]);
    const headers = { authorization: 'Bearer AAAA', accept: 'text/event-stream' };
    const refused = await send(network.baseUrl, 'GET', '/api/events', { headers });
    expect([refused.status, refused.body]).toEqual([401, errorBody('invalid_token')]);
  });
});

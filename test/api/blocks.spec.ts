import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { MAX_CHANGES } from '../../src/commands/support/handle-idempotent-command.js';
import type { StoredEvent } from '../../src/log/registry.js';
import { streams } from '../../src/log/streams.js';
import { operatorOf, registerApplication, send } from '../support/api.js';
import { personWithToken } from '../support/people.js';
import type { Answer, Application, SignedIn } from '../support/api.js';
import { openLogOf } from '../support/network-log.js';
import { sharedNetwork } from '../support/shared-network.js';
import type { SharedNetwork } from '../support/shared-network.js';

const scope = 'openid read post:create relation:write block:read block:write';
const RACES = 20;

let network: SharedNetwork;
let application: Application;

beforeAll(async () => {
  network = await sharedNetwork();
  application = await registerApplication(network);
});

const newPerson = () => personWithToken(network, application, scope);
const newPair = async () => [await newPerson(), await newPerson()] as const;
const errorBody = (code: string) => ({ error: code, message: expect.any(String) });
const block = (who: SignedIn, actorId: string, intentId: string = randomUUID()) =>
  who.put(`/api/blocks/${actorId}`, { intentId });
const unblock = (who: SignedIn, actorId: string, intentId: string = randomUUID()) =>
  who.delete(`/api/blocks/${actorId}?intentId=${intentId}`);
const follow = (who: SignedIn, { actorId }: SignedIn, intentId: string = randomUUID()) =>
  who.put(`/api/relations/follow/${actorId}`, { intentId });
const blocks = async (who: SignedIn) => (await who.get('/api/blocks')).body.blocks;
const follows = async (who: SignedIn) => (await who.get('/api/relations')).body.relations;

/** Appends as many follows and unfollows as a pair may have changes. */
async function followAndUnfollow(
  { actorId, appId }: SignedIn,
  { actorId: targetActorId }: SignedIn,
): Promise<void> {
  const opened = await openLogOf(network);
  const at = Date.now();
  const relation = { kind: 'follow', actorId, targetId: targetActorId, targetActorId, at } as const;
  const changes = Array.from({ length: MAX_CHANGES / 2 }, (_, n): readonly StoredEvent[] => {
    const data = { ...relation, generation: n + 1 };
    return [
      { type: 'relation.established', data },
      { type: 'relation.ended', data: { ...data, cause: 'actor' } },
    ];
  });
  await opened.log.append({
    stream: streams.pair(actorId, targetActorId),
    expected: 'no_stream',
    events: changes.flat().map((event) => ({ id: randomUUID(), event })),
    metadata: { requestId: 'test', actorId, appId },
  });
  await opened.close();
}

const outcomeOf = ({ status, body }: Answer) => [status, body];

describe('a block', () => {
  it('is listed, newest first, and can be ended [blocks-answer]', async () => {
    const [ada, bob] = await newPair();
    const cleo = await newPerson();
    expect(await blocks(ada)).toEqual([]);
    for (const { actorId } of [bob, cleo])
      expect(outcomeOf(await block(ada, actorId))).toEqual([200, { blocked: true }]);
    expect(await blocks(ada)).toEqual([cleo.actorId, bob.actorId]);
    expect(outcomeOf(await unblock(ada, bob.actorId))).toEqual([200, { blocked: false }]);
    expect(await blocks(ada)).toEqual([cleo.actorId]);
    expect(await blocks(bob)).toEqual([]);
  });

  it('ends the follows of both sides, and ending it does not restore them', async () => {
    const [ada, bob] = await newPair();
    await follow(ada, bob);
    await follow(bob, ada);
    await block(ada, bob.actorId);
    expect([await follows(ada), await follows(bob)]).toEqual([[], []]);
    for (const [who, other] of [
      [ada, bob],
      [bob, ada],
    ] as const)
      expect(outcomeOf(await follow(who, other))).toEqual([403, errorBody('interaction_unavailable')]);
    await unblock(ada, bob.actorId);
    expect([await follows(ada), await follows(bob)]).toEqual([[], []]);
    expect((await ada.get(`/api/actors/${bob.actorId}`)).body.actor).toMatchObject({
      followers: 0,
      following: 0,
    });
    expect((await follow(bob, ada)).body.relation).toMatchObject({ generation: '2' });
  });

  it('is not revealed by the answers to unfollowing and unblocking', async () => {
    const [ada, bob] = await newPair();
    await block(ada, bob.actorId);
    const answersAbout = async (actorId: string) => {
      const answers = [
        await bob.delete(`/api/relations/follow/${actorId}?intentId=${randomUUID()}`),
        await unblock(bob, actorId),
      ];
      return answers.map((answer) => ({
        outcome: outcomeOf(answer),
        revision: answer.headers.get('x-network-write-revision'),
      }));
    };
    expect(await answersAbout(ada.actorId)).toEqual(await answersAbout('nobody'));
  });

  it('succeeds however often the other person has followed and blocked', async () => {
    const [ada, bob] = await newPair();
    await followAndUnfollow(bob, ada);
    expect(outcomeOf(await follow(bob, ada))).toEqual([413, errorBody('domain_plan_too_large')]);
    expect((await follow(ada, bob)).status).toBe(200);
    expect(outcomeOf(await block(ada, bob.actorId))).toEqual([200, { blocked: true }]);
    expect(await follows(ada)).toEqual([]);
  });

  it('hides both people from each other and from nobody else', async () => {
    const [ada, bob] = await newPair();
    const cleo = await newPerson();
    await follow(ada, cleo);
    await follow(bob, cleo);
    const { body } = await cleo.say('what the two answer to');
    const reply = { parentId: body.post.id };
    const posts = new Map<SignedIn, string>();
    for (const who of [ada, bob]) posts.set(who, (await who.say('a reply', reply)).body.post.id);
    const seenBy = async (reader: SignedIn, { actorId }: SignedIn, postId = '') => {
      const actor = await reader.get(`/api/actors/${actorId}`);
      const post = await reader.get(`/api/posts/${postId}`);
      const ofActor = await Promise.all(
        ['posts', 'following', 'followers'].map((list) => reader.get(`/api/actors/${actorId}/${list}`)),
      );
      const replies = await reader.get(`/api/posts/${body.post.id}/replies`);
      const fans = await reader.get(`/api/actors/${cleo.actorId}/followers`);
      return [
        ...[actor, ...ofActor, post, await reader.get(`/api/posts/${postId}/replies`)].map(
          ({ status }) => status,
        ),
        replies.body.posts.some(({ id }: { id: string }) => id === postId),
        fans.body.actors.some((fan: { actorId: string }) => fan.actorId === actorId),
      ];
    };
    const whatEachSees = async () => [
      await seenBy(ada, bob, posts.get(bob)),
      await seenBy(bob, ada, posts.get(ada)),
      await seenBy(cleo, bob, posts.get(bob)),
    ];
    const [everything, nothing] = [
      [200, 200, 200, 200, 200, 200, true, true],
      [404, 404, 404, 404, 404, 404, false, false],
    ];
    expect(await whatEachSees()).toEqual([everything, everything, everything]);
    await block(ada, bob.actorId);
    expect(await whatEachSees()).toEqual([nothing, nothing, everything]);
    const answer = await bob.say('to whom?', { parentId: posts.get(ada) });
    expect(outcomeOf(answer)).toEqual([404, errorBody('parent_unavailable')]);
    await unblock(ada, bob.actorId);
    expect(await whatEachSees()).toEqual([everything, everything, everything]);
  });

  it('succeeds against a person who has blocked the caller, and against a suspended person', async () => {
    const [ada, bob] = await newPair();
    await block(bob, ada.actorId);
    expect((await block(ada, bob.actorId)).body).toEqual({ blocked: true });
    await unblock(bob, ada.actorId);
    expect((await bob.get(`/api/actors/${ada.actorId}`)).status).toBe(404);

    const cleo = await newPerson();
    await operatorOf(network).post('accounts/:id/suspend', { id: cleo.actorId, reason: 'a test' });
    expect((await block(ada, cleo.actorId)).body).toEqual({ blocked: true });
    expect(await blocks(ada)).toEqual([cleo.actorId, bob.actorId]);
    expect((await unblock(ada, cleo.actorId)).body).toEqual({ blocked: false });
  });

  it('of oneself or of an unknown actor is refused; ending a block that never was changes nothing', async () => {
    const ada = await newPerson();
    for (const answer of [await block(ada, ada.actorId), await unblock(ada, ada.actorId)])
      expect(outcomeOf(answer)).toEqual([400, errorBody('self_block')]);
    expect(outcomeOf(await block(ada, 'nobody'))).toEqual([404, errorBody('not_found')]);
    expect(outcomeOf(await unblock(ada, 'nobody'))).toEqual([200, { blocked: false }]);
  });

  it.each(['', '%20', '%00', 'x'.repeat(65), 'x'.repeat(200)])(
    'of %j, which no actor can be, is not found',
    async (nobody) => {
      const ada = await newPerson();
      for (const answer of [await block(ada, nobody), await unblock(ada, nobody)])
        expect(outcomeOf(answer)).toEqual([404, errorBody('not_found')]);
    },
  );
});

describe('an intentId', () => {
  it('returns its first outcome, and conflicts with the opposite command', async () => {
    const [ada, bob] = await newPair();
    await block(ada, bob.actorId, 'once');
    await unblock(ada, bob.actorId, 'back');
    expect((await block(ada, bob.actorId, 'once')).body).toEqual({ blocked: true });
    expect(await blocks(ada)).toEqual([]);
    expect(outcomeOf(await unblock(ada, bob.actorId, 'once'))).toEqual([409, errorBody('intent_conflict')]);
  });

  it('of a block is independent of the same intentId of a follow that the block ended', async () => {
    const [ada, bob] = await newPair();
    const followed = await follow(ada, bob, 'mine');
    expect(outcomeOf(await block(ada, bob.actorId, 'mine'))).toEqual([200, { blocked: true }]);
    expect((await follow(ada, bob, 'mine')).body).toEqual(followed.body);
    expect(await follows(ada)).toEqual([]);
  });

  it.each([
    ['is missing', {}, 'intent_required'],
    ['is not a string', { intentId: null }, 'intent_required'],
    ['comes with an unknown field', { intentId: 'x', blocked: true }, 'unknown_or_immutable_field'],
  ])('is refused if it %s', async (_what, body, code) => {
    const [ada, bob] = await newPair();
    expect(outcomeOf(await ada.put(`/api/blocks/${bob.actorId}`, body))).toEqual([400, errorBody(code)]);
    expect(outcomeOf(await ada.delete(`/api/blocks/${bob.actorId}`))).toEqual([
      400,
      errorBody('intent_required'),
    ]);
  });
});

describe('concurrently', () => {
  it('identical requests make one block', async () => {
    const [ada, bob] = await newPair();
    const answers = await Promise.all(Array.from({ length: 10 }, () => block(ada, bob.actorId, 'same')));
    for (const answer of answers) expect(outcomeOf(answer)).toEqual([200, { blocked: true }]);
    expect(await blocks(ada)).toEqual([bob.actorId]);
  });

  it('a follow never survives a block, whichever comes first', async () => {
    const [ada, bob] = await newPair();
    for (let race = 0; race < RACES; race++) {
      const answers = await Promise.all([
        follow(ada, bob),
        follow(bob, ada),
        race % 2 === 0 ? block(ada, bob.actorId) : block(bob, ada.actorId),
      ]);
      expect(answers[2].status).toBe(200);
      for (const { status } of answers.slice(0, 2)) expect([200, 403]).toContain(status);
      await Promise.all([unblock(ada, bob.actorId), unblock(bob, ada.actorId)]);
      expect([await follows(ada), await follows(bob)]).toEqual([[], []]);
    }
  });
});

describe('access to blocks', () => {
  it.each([
    ['GET', 'openid read block:write'],
    ['PUT', 'openid read block:read'],
    ['DELETE', 'openid read block:read'],
  ])(
    'by %s is refused to a token with the scopes %s, and without a token [blocks-scope]',
    async (method, without) => {
      const [ada, bob] = [await personWithToken(network, application, without), await newPerson()];
      const path = { GET: '', PUT: `/${bob.actorId}`, DELETE: `/${bob.actorId}?intentId=x` }[method] ?? '';
      const sent = method === 'PUT' ? { body: { intentId: 'x' } } : {};
      const ask = (headers: Record<string, string>) =>
        send(network.baseUrl, method, `/api/blocks${path}`, { ...sent, headers });
      expect(outcomeOf(await ask({}))).toEqual([401, errorBody('authentication_required')]);
      const authorization = `Bearer ${ada.token}`;
      expect(outcomeOf(await ask({ authorization }))).toEqual([403, errorBody('capability_required')]);
    },
  );
});

import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { operatorOf, registerApplication, send } from '../support/api.js';
import { personWithToken } from '../support/people.js';
import type { Application, SignedIn } from '../support/api.js';
import { sharedNetwork } from '../support/shared-network.js';
import type { SharedNetwork } from '../support/shared-network.js';

const scope = 'openid read post:create post:delete relation:write block:write';

let network: SharedNetwork;
let application: Application;
let ada: SignedIn;
let bob: SignedIn;

beforeAll(async () => {
  network = await sharedNetwork();
  application = await registerApplication(network);
  [ada, bob] = [await newPerson(), await newPerson()];
});

const newPerson = () => personWithToken(network, application, scope);
const errorBody = (code: string) => ({ error: code, message: expect.any(String) });
const put = (who: SignedIn, target: string, intentId: string = randomUUID()) =>
  who.put(`/api/relations/${target}`, { intentId });
const endRelation = (who: SignedIn, target: string, intentId: string = randomUUID()) =>
  who.delete(`/api/relations/${target}?intentId=${intentId}`);
const followOf = (who: SignedIn) => `follow/${who.actorId}`;
const ownRelations = async (who: SignedIn) => (await who.get('/api/relations')).body.relations;
const newPost = async (who: SignedIn): Promise<string> => (await who.say('a post')).body.post.id;

describe('a follow', () => {
  it('is returned and listed, can be ended, and made again as the next generation [relation-kind, relation-actor, relation-target, relation-target-actor, relation-generation, relation-created-at, relations-answer]', async () => {
    const first = await put(ada, followOf(bob));
    const relation = {
      kind: 'follow',
      actorId: ada.actorId,
      targetId: bob.actorId,
      targetActorId: bob.actorId,
      generation: '1',
      createdAt: expect.any(Number),
    };
    expect([first.status, first.body]).toEqual([200, { relation }]);
    expect(first.headers.get('x-network-write-revision')).toMatch(/^[0-9]+$/);
    expect(await ownRelations(ada)).toEqual([first.body.relation]);

    const ended = await endRelation(ada, followOf(bob));
    expect([ended.status, ended.body]).toEqual([200, first.body]);
    expect(await ownRelations(ada)).toEqual([]);

    const again = await put(ada, followOf(bob));
    expect(again.body.relation).toEqual({ ...relation, generation: '2' });
    expect(await ownRelations(ada)).toEqual([again.body.relation]);
  });

  it('does not change if it is made or ended again', async () => {
    const cleo = await newPerson();
    const { body } = await put(cleo, followOf(bob));
    expect((await put(cleo, followOf(bob))).body).toEqual(body);
    await endRelation(cleo, followOf(bob));
    const again = await endRelation(cleo, followOf(bob));
    expect([again.status, again.body]).toEqual([200, body]);
  });

  it.each(['follow', 'like'])('or like that never existed ends with the answer null: %s', async (kind) => {
    const nothing = await endRelation(ada, `${kind}/nobody`);
    expect([nothing.status, nothing.body]).toEqual([200, { relation: null }]);
  });

  it('of oneself can be neither made nor ended', async () => {
    for (const answer of [await put(ada, followOf(ada)), await endRelation(ada, followOf(ada))])
      expect([answer.status, answer.body]).toEqual([400, errorBody('self_relation')]);
  });

  it('counts on both sides', async () => {
    const [fan, star] = [await newPerson(), await newPerson()];
    await put(fan, followOf(star));
    expect((await fan.get(`/api/actors/${fan.actorId}`)).body.actor).toMatchObject({
      following: 1,
      followers: 0,
    });
    expect((await fan.get(`/api/actors/${star.actorId}`)).body.actor).toMatchObject({
      following: 0,
      followers: 1,
    });
  });
});

describe('a like', () => {
  it('names the post and its author, also of one’s own post [relation-kind, relation-target, relation-target-actor, relations-own]', async () => {
    for (const author of [bob, ada]) {
      const postId = await newPost(author);
      const { status, body } = await put(ada, `like/${postId}`);
      expect([status, body.relation]).toEqual([
        200,
        {
          kind: 'like',
          actorId: ada.actorId,
          targetId: postId,
          targetActorId: author.actorId,
          generation: '1',
          createdAt: expect.any(Number),
        },
      ]);
      expect(await ownRelations(ada)).toContainEqual(body.relation);
    }
  });

  it('of a deleted post can be ended, but not made [relations-own]', async () => {
    const postId = await newPost(bob);
    const { body } = await put(ada, `like/${postId}`);
    const deletion = await bob.delete(`/api/posts/${postId}?intentId=${randomUUID()}&revision=1`);
    expect(deletion.status).toBe(200);
    expect(await ownRelations(ada)).not.toContainEqual(body.relation);
    const given = await put(ada, `like/${postId}`);
    expect([given.status, given.body]).toEqual([403, errorBody('interaction_unavailable')]);
    expect((await endRelation(ada, `like/${postId}`)).body).toEqual(body);
  });
});

describe('a relation that is not possible', () => {
  it('is refused with the same answer, whatever the reason', async () => {
    const [me, blocker, blocked, suspended] = [
      await newPerson(),
      await newPerson(),
      await newPerson(),
      await newPerson(),
    ];
    const posts = await Promise.all([blocker, blocked, suspended].map(newPost));
    const followed = await put(me, followOf(suspended));
    await blocker.put(`/api/blocks/${me.actorId}`, { intentId: randomUUID() });
    await me.put(`/api/blocks/${blocked.actorId}`, { intentId: randomUUID() });
    await operatorOf(network).post('accounts/:id/suspend', { id: suspended.actorId, reason: 'a test' });
    const targets = [
      ...[blocker, blocked, suspended].map(followOf),
      ...posts.map((id) => `like/${id}`),
      'follow/nobody',
      'like/nothing',
      'follow/%00',
      `like/${'x'.repeat(200)}`,
    ];
    const answers = await Promise.all(targets.map((target) => put(me, target)));
    const [refused] = answers;
    expect([refused?.status, refused?.body]).toEqual([403, errorBody('interaction_unavailable')]);
    for (const { status, body } of answers) expect([status, body]).toEqual([403, refused?.body]);
    expect((await endRelation(me, followOf(suspended))).body).toEqual(followed.body);
  });

  it('is not found if its kind is unknown', async () => {
    for (const answer of [
      await put(ada, `friend/${bob.actorId}`),
      await endRelation(ada, `friend/${bob.actorId}`),
    ])
      expect([answer.status, answer.body]).toEqual([404, errorBody('not_found')]);
  });
});

describe.each(['follow', 'like'])('the end of a %s', (kind) => {
  it.each(['', '%20', '%00', 'x'.repeat(65)])(
    'of %j, which no target can be, is not found',
    async (target) => {
      const answer = await endRelation(ada, `${kind}/${target}`);
      expect([answer.status, answer.body]).toEqual([404, errorBody('not_found')]);
    },
  );
});

describe('an intentId', () => {
  it('returns its first outcome, whatever happened since', async () => {
    const [fan, postId] = [await newPerson(), await newPost(bob)];
    for (const target of [followOf(bob), `like/${postId}`]) {
      const first = await put(fan, target, 'once');
      await endRelation(fan, target, 'back');
      await put(fan, target, 'again');
      expect((await put(fan, target, 'once')).body).toEqual(first.body);
      expect((await endRelation(fan, target, 'back')).body).toEqual(first.body);
      const now = (await ownRelations(fan))[0];
      expect(now.generation).toBe('2');
    }
  });

  it('conflicts with the opposite command, and is independent for another target', async () => {
    const fan = await newPerson();
    await put(fan, followOf(bob), 'mine');
    const opposite = await endRelation(fan, followOf(bob), 'mine');
    expect([opposite.status, opposite.body]).toEqual([409, errorBody('intent_conflict')]);
    expect((await put(fan, followOf(ada), 'mine')).status).toBe(200);
    expect((await put(bob, followOf(fan), 'mine')).status).toBe(200);
    expect((await fan.put(`/api/blocks/${bob.actorId}`, { intentId: 'mine' })).body).toEqual({
      blocked: true,
    });
  });

  it.each([
    ['is missing', {}, 'intent_required'],
    ['is not a string', { intentId: 5 }, 'intent_required'],
    ['is empty', { intentId: '' }, 'intent_required'],
    ['is too long', { intentId: 'x'.repeat(129) }, 'intent_required'],
    ['comes with an unknown field', { intentId: 'x', generation: '1' }, 'unknown_or_immutable_field'],
    ['is in no object', 'null', 'invalid_json'],
    ['is in a truncated body', '{"intentId":', 'invalid_json'],
  ])('is refused if it %s', async (_what, body, code) => {
    const answer = await ada.put(`/api/relations/${followOf(bob)}`, body);
    expect([answer.status, answer.body]).toEqual([400, errorBody(code)]);
  });

  it.each(['', '?intentId=', '?intentId=a%20b', '?intent=x'])(
    'is required in the query of a deletion: %s',
    async (query) => {
      const answer = await ada.delete(`/api/relations/${followOf(bob)}${query}`);
      expect([answer.status, answer.body]).toEqual([400, errorBody('intent_required')]);
    },
  );
});

describe('concurrently', () => {
  it('identical requests make one relation and have one answer', async () => {
    const [fan, postId] = [await newPerson(), await newPost(bob)];
    for (const target of [followOf(bob), `like/${postId}`]) {
      const answers = await Promise.all(Array.from({ length: 10 }, () => put(fan, target, 'same')));
      for (const { status, body } of answers) expect([status, body]).toEqual([200, answers[0]?.body]);
      expect((await ownRelations(fan))[0]).toEqual(answers[0]?.body.relation);
      expect(answers[0]?.body.relation.generation).toBe('1');
    }
  });

  it('requests with different intents make one relation, too', async () => {
    const fan = await newPerson();
    const answers = await Promise.all(Array.from({ length: 10 }, () => put(fan, followOf(bob))));
    expect(new Set(answers.map(({ body }) => JSON.stringify(body))).size).toBe(1);
  });

  it('a command and its opposite with one intent conflict, unless the opposite came first and changed nothing', async () => {
    for (let round = 0; round < 10; round++) {
      const target = `like/${await newPost(bob)}`;
      const [made, ended] = await Promise.all([put(ada, target, 'one'), endRelation(ada, target, 'one')]);
      expect(made.status).toBe(200);
      expect([200, 409]).toContain(ended.status);
      expect(await ownRelations(ada)).toContainEqual(made.body.relation);
    }
  });

  it('a command and its opposite take effect one after the other', async () => {
    const fan = await newPerson();
    for (let round = 1; round <= 10; round++) {
      await put(fan, followOf(bob));
      const [made, ended] = await Promise.all([put(fan, followOf(bob)), endRelation(fan, followOf(bob))]);
      const isMadeAnew = made.body.relation.generation !== ended.body.relation.generation;
      expect(await ownRelations(fan)).toEqual(isMadeAnew ? [made.body.relation] : []);
    }
  });
});

describe('access to relations', () => {
  it.each([
    ['PUT', 'relation:write', 'openid read'],
    ['DELETE', 'relation:write', 'openid read'],
    ['GET', 'read', 'openid relation:write'],
  ])('by %s needs a token with %s [relations-bearer, relations-scope]', async (method, _scope, without) => {
    const target = method === 'GET' ? '' : `/${followOf(bob)}`;
    const path = `/api/relations${target}${method === 'DELETE' ? '?intentId=x' : ''}`;
    const sent = method === 'PUT' ? { body: { intentId: 'x' } } : {};
    const anonymous = await send(network.baseUrl, method, path, sent);
    expect([anonymous.status, anonymous.body]).toEqual([401, errorBody('authentication_required')]);
    const { token } = await personWithToken(network, application, without);
    const headers = { authorization: `Bearer ${token}` };
    const refused = await send(network.baseUrl, method, path, { ...sent, headers });
    expect([refused.status, refused.body]).toEqual([403, errorBody('capability_required')]);
  });
});

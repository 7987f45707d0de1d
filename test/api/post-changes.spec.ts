import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { operatorOf, registerApplication, send } from '../support/api.js';
import { personWithToken } from '../support/people.js';
import type { SignedIn } from '../support/api.js';
import { statusAndBody, block, editPost, postScopes, deletePost, createPost } from '../support/posts.js';
import { sharedNetwork } from '../support/shared-network.js';
import type { SharedNetwork } from '../support/shared-network.js';

let network: SharedNetwork;
let alice: SignedIn;
let bob: SignedIn;
let reader: SignedIn;

beforeAll(async () => {
  network = await sharedNetwork();
  const application = await registerApplication(network);
  alice = await personWithToken(network, application, postScopes);
  bob = await personWithToken(network, application, postScopes);
  reader = await personWithToken(network, application, 'openid read');
});

const errorBody = (code: string) => ({ error: code, message: expect.any(String) });
const readPost = async (id: string, by = bob) => (await by.get(`/api/posts/${id}`)).body.post;

describe.each([
  ['editing', editPost],
  ['deleting', deletePost],
])('%s', (verb, change) => {
  it('returns the first answer for a repeated intent, and writes nothing', async () => {
    const [id, fields] = [await createPost(alice), { intentId: randomUUID() }];
    const first = await change(alice, id, fields);
    const second = await change(alice, id, fields);
    expect(statusAndBody(second)).toEqual(statusAndBody(first));
    expect(first.body.post.revision).toBe(2);
  });

  it('refuses an intentId that was used for another change', async () => {
    const [id, intentId] = [await createPost(alice), randomUUID()];
    expect((await change(alice, id, { intentId })).status).toBe(200);
    for (const other of [
      await change(alice, id, { intentId, revision: 2 }),
      await (verb === 'editing' ? deletePost : editPost)(alice, id, { intentId }),
    ])
      expect(statusAndBody(other)).toEqual([409, errorBody('intent_conflict')]);
  });

  it('accepts the intentId of the creation or of a change of another post', async () => {
    const intentId = randomUUID();
    const [one, other] = [await createPost(alice, 'one', { intentId }), await createPost(alice, 'other')];
    expect((await change(alice, one, { intentId })).status).toBe(200);
    expect((await change(alice, other, { intentId })).status).toBe(200);
  });

  it('refuses a revision that is not the newest [states-revision, version-revisions]', async () => {
    const id = await createPost(alice);
    await editPost(alice, id);
    for (const stale of [1, 3])
      expect(statusAndBody(await change(alice, id, { revision: stale }))).toEqual([
        409,
        errorBody('revision_conflict'),
      ]);
  });

  it('refuses a post of another author', async () => {
    const id = await createPost(bob);
    expect(statusAndBody(await change(alice, id))).toEqual([403, errorBody('not_owner')]);
    expect(await readPost(id)).toMatchObject({ text: 'as it was', revision: 1 });
  });

  it.each(['never_was', 'no%20id', 'x'.repeat(65)])(
    'does not find a post that never existed: %s',
    async (id) => {
      expect(statusAndBody(await change(alice, id))).toEqual([404, errorBody('post_unavailable')]);
    },
  );

  it('answers alike for a hidden post and for one that never existed', async () => {
    const eve = await personWithToken(network, await registerApplication(network), postScopes);
    const [suspended, blocked, deleted] = [
      await createPost(eve),
      await createPost(eve),
      await createPost(bob),
    ];
    await operatorOf(network).post('accounts/:id/suspend', { id: eve.actorId, reason: 'a test' });
    const unavailable = [404, errorBody('post_unavailable')];
    expect(statusAndBody(await change(alice, suspended))).toEqual(unavailable);
    await operatorOf(network).post('accounts/:id/reinstate', { id: eve.actorId, reason: 'a test' });
    expect(statusAndBody(await change(alice, suspended))).toEqual([403, errorBody('not_owner')]);
    await block(alice, eve);
    expect(statusAndBody(await change(alice, blocked))).toEqual(unavailable);
    await deletePost(bob, deleted);
    expect(statusAndBody(await change(alice, deleted))).toEqual(unavailable);
  });

  it('refuses one’s own post that is already deleted [states-codes, posts-refusals]', async () => {
    const id = await createPost(alice);
    await deletePost(alice, id);
    expect(statusAndBody(await change(alice, id, { revision: 2 }))).toEqual([409, errorBody('post_deleted')]);
  });

  it('needs a token with its scope', async () => {
    const id = await createPost(alice);
    expect(statusAndBody(await change(reader, id))).toEqual([403, errorBody('capability_required')]);
    const method = verb === 'editing' ? 'PATCH' : 'DELETE';
    const anonymous = await send(network.baseUrl, method, `/api/posts/${id}`);
    expect(statusAndBody(anonymous)).toEqual([401, errorBody('authentication_required')]);
  });

  it('runs once for concurrent requests with one intent, and answers all alike', async () => {
    for (let round = 0; round < 5; round++) {
      const [id, fields] = [await createPost(alice), { intentId: randomUUID() }];
      const answers = await Promise.all(Array.from({ length: 4 }, () => change(alice, id, fields)));
      for (const answer of answers)
        expect(statusAndBody(answer)).toEqual([200, { post: expect.objectContaining({ id, revision: 2 }) }]);
    }
  });
});

describe('concurrent changes of a post', () => {
  it('from one revision: one edit wins, and its text is shown', async () => {
    for (let round = 0; round < 10; round++) {
      const id = await createPost(alice);
      const answers = await Promise.all(['one', 'two', 'three'].map((text) => editPost(alice, id, { text })));
      expect(answers.filter(({ body }) => body.error === 'revision_conflict')).toHaveLength(2);
      const winner = answers.findIndex(({ status }) => status === 200);
      expect(await readPost(id)).toMatchObject({ text: ['one', 'two', 'three'][winner], revision: 2 });
    }
  });

  it('with one intent and different texts: one wins', async () => {
    const [id, intentId] = [await createPost(alice), randomUUID()];
    const answers = await Promise.all(['one', 'two'].map((text) => editPost(alice, id, { intentId, text })));
    expect(answers.map(({ status, body }) => `${status} ${body.error ?? ''}`).sort()).toEqual([
      '200 ',
      '409 intent_conflict',
    ]);
  });

  it('an edit and a deletion: one wins, and a deleted post stays deleted', async () => {
    for (let round = 0; round < 10; round++) {
      const id = await createPost(alice);
      const [edited, removed] = await Promise.all([editPost(alice, id), deletePost(alice, id)]);
      const codes = [edited.body.error, removed.body.error];
      expect([
        [undefined, 'revision_conflict'],
        ['post_deleted', undefined],
      ]).toContainEqual(codes);
      const { status } = await bob.get(`/api/posts/${id}`);
      expect(status).toBe(removed.status === 200 ? 404 : 200);
    }
  });
});

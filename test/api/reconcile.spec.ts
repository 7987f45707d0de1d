import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { allScopes } from '../../src/domain/grant/scopes.js';
import { registerApplication, send } from '../support/api.js';
import { personWithToken } from '../support/people.js';
import type { SignedIn } from '../support/api.js';
import { lentNetwork } from '../support/lent-network.js';
import type { TestNetwork } from '../support/network.js';

let network: TestNetwork;
let alice: SignedIn;
let bob: SignedIn;

beforeAll(async () => {
  network = await lentNetwork();
  const application = await registerApplication(network);
  const scope = [...allScopes].join(' ');
  alice = await personWithToken(network, application, scope);
  bob = await personWithToken(network, application, scope);
});

afterAll(() => network?.stop());

const newIntentId = () => randomUUID();
const reconcile = async (by: SignedIn, cursor?: number) =>
  (await by.get(`/api/reconcile${cursor === undefined ? '' : `?cursor=${cursor}`}`)).body;
const relation = (by: SignedIn, kind: string, target: string) =>
  by.put(`/api/relations/${kind}/${target}`, { intentId: newIntentId() });
const noChanges = { posts: [], ownPosts: [], relations: [], inbox: [], replace: false };

describe('reconcile', () => {
  it('returns the changes since an earlier view [relation-in-view, reconcile-answer]', async () => {
    await relation(bob, 'follow', alice.actorId);
    const { body: older } = await alice.say('older');
    const view = await reconcile(bob);
    expect(view).toMatchObject({ replace: true, relations: [{ kind: 'follow', targetId: alice.actorId }] });
    expect(await reconcile(bob, view.cursor)).toEqual({ ...noChanges, cursor: view.cursor });

    const { body: newer } = await alice.say('newer');
    const edit = { intentId: newIntentId(), revision: 1, text: 'older, edited' };
    await alice.patch(`/api/posts/${older.post.id}`, edit);
    await relation(bob, 'like', newer.post.id);
    const delta = await reconcile(bob, view.cursor);
    expect(delta).toMatchObject({
      replace: false,
      posts: [{ id: newer.post.id }, { id: older.post.id, text: 'older, edited', revision: 2 }],
      ownPosts: [],
      relations: [{ kind: 'like', targetId: newer.post.id, targetActorId: alice.actorId, generation: '1' }],
    });
    expect(delta.relations[0]).not.toHaveProperty('createdAt');
    expect(await reconcile(bob, delta.cursor)).toEqual({ ...noChanges, cursor: delta.cursor });
  });

  it('returns new inbox entries, and again once they are read [inbox-read-at, events-inbox, inbox-kind, inbox-source]', async () => {
    const { cursor } = await reconcile(alice);
    const { body } = await alice.say('to be liked');
    await relation(bob, 'like', body.post.id);
    const added = await reconcile(alice, cursor);
    expect(added).toMatchObject({ replace: false, inbox: [{ kind: 'like', sourceId: body.post.id }] });
    await alice.post('/api/inbox/read', { intentId: newIntentId(), ids: [added.inbox[0].id] });
    expect(await reconcile(alice, added.cursor)).toMatchObject({
      ...noChanges,
      inbox: [{ id: added.inbox[0].id, readAt: expect.any(Number) }],
    });
  });

  it('returns older posts of an actor who is followed from now on', async () => {
    const { body } = await bob.say('before anybody followed');
    const { cursor } = await reconcile(alice);
    await relation(alice, 'follow', bob.actorId);
    const delta = await reconcile(alice, cursor);
    expect(delta.replace).toBe(false);
    expect(delta.posts.map(({ id }: { id: string }) => id)).toContain(body.post.id);
  });

  const follow = () => relation(bob, 'follow', alice.actorId);
  const block = () => alice.put(`/api/blocks/${bob.actorId}`, { intentId: newIntentId() });
  const unblock = () => alice.delete(`/api/blocks/${bob.actorId}?intentId=${newIntentId()}`);
  const removals: [string, () => Promise<unknown>, () => Promise<unknown>][] = [
    [
      'a followed actor’s post is deleted',
      follow,
      async () => {
        const { body } = await alice.say('to be deleted');
        await alice.delete(`/api/posts/${body.post.id}?intentId=${newIntentId()}&revision=1`);
      },
    ],
    ['the other person blocks the reader', unblock, block],
    ['the other person unblocks the reader', block, unblock],
    [
      'the reader unfollows',
      follow,
      () => bob.delete(`/api/relations/follow/${alice.actorId}?intentId=${newIntentId()}`),
    ],
  ];
  it.each(removals)(
    'returns the whole view when %s [reconcile-replaces, events-inbox]',
    async (_what, prepare, remove) => {
      await prepare();
      const { cursor } = await reconcile(bob);
      await remove();
      const { cursor: after, ...view } = await reconcile(bob, cursor);
      expect(view.replace).toBe(true);
      const { cursor: later, ...whole } = await reconcile(bob);
      expect([view, after]).toEqual([whole, later]);
    },
  );

  it('returns the whole view if the cursor is ahead of the log', async () => {
    expect((await reconcile(bob, 9_007_199_254_740_991)).replace).toBe(true);
  });

  it('shows an anonymous caller the newest public posts and nothing personal', async () => {
    const { body: newest } = await bob.say('newest');
    const { body } = await send(network.baseUrl, 'GET', '/api/reconcile');
    expect(body.posts[0].id).toBe(newest.post.id);
    expect(body).toMatchObject({
      ownPosts: [],
      relations: [],
      inbox: [],
      replace: true,
      cursor: expect.any(Number),
    });
  });

  it('shows an anonymous caller changes of public posts alone', async () => {
    const anonymous = async (query = '') =>
      (await send(network.baseUrl, 'GET', `/api/reconcile${query}`)).body;
    const { cursor } = await anonymous();
    const { body } = await bob.say('for everybody');
    await relation(bob, 'follow', alice.actorId);
    const delta = await anonymous(`?cursor=${cursor}`);
    expect(delta).toMatchObject({ ...noChanges, posts: [{ id: body.post.id }] });
    await bob.delete(`/api/posts/${body.post.id}?intentId=${newIntentId()}&revision=1`);
    expect((await anonymous(`?cursor=${delta.cursor}`)).replace).toBe(true);
  });
});

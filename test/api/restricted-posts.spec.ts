import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createdId } from '../../src/commands/support/intent.js';
import { streams } from '../../src/log/streams.js';
import { operatorOf, registerApplication, send } from '../support/api.js';
import { personWithToken } from '../support/people.js';
import type { SignedIn } from '../support/api.js';
import { runPlaza } from '../support/command.js';
import { openLogOf } from '../support/network-log.js';
import { lentNetwork } from '../support/lent-network.js';
import type { TestNetwork } from '../support/network.js';
import { statusAndBody, editPost, deletePost, createPost } from '../support/posts.js';
import { follow, like, post } from '../support/social.js';

let network: TestNetwork;
let alice: SignedIn;
let bob: SignedIn;

const scopes =
  'openid read post:create post:edit post:delete relation:write report:create block:read inbox:write';

beforeAll(async () => {
  network = await lentNetwork();
  const application = await registerApplication(network);
  alice = await personWithToken(network, application, scopes);
  bob = await personWithToken(network, application, scopes);
  await follow(bob, alice);
});

afterAll(() => network?.stop());

const operator = () => operatorOf(network);
const restrict = (id: string) => operator().post('posts/:id/restrict', { id, reason: 'a complaint' });
const unrestrict = (id: string) => operator().post('posts/:id/unrestrict', { id, reason: 'it was none' });
const errorBody = (code: string) => ({ error: code, message: expect.any(String) });
const anonymously = (path: string) => send(network.baseUrl, 'GET', path);
const newIntent = () => ({ intentId: randomUUID() });
const idsIn = (posts: readonly { readonly id: string }[]) => posts.map(({ id }) => id);

describe('a restricted post', () => {
  it('is hidden from everybody as soon as the operator is answered, and comes back unchanged', async () => {
    const id = await post(alice, 'as it was');
    await editPost(alice, id, { text: 'as it is' });
    const paths = ['/api/timeline', `/api/actors/${alice.actorId}/posts`, '/api/reconcile'];
    const currentViews = async () => {
      const single = await Promise.all([alice, bob].map((who) => who.get(`/api/posts/${id}`)));
      const lists = await Promise.all([alice, bob].flatMap((who) => paths.map((path) => who.get(path))));
      const views = lists.map(({ body }) => body.posts.find((each: { id: string }) => each.id === id));
      const { posts } = (await anonymously(`/api/actors/${alice.actorId}`)).body.actor;
      return {
        single: single.map(statusAndBody),
        anonymous: statusAndBody(await anonymously(`/api/posts/${id}`)),
        views,
        posts,
      };
    };
    const before = await currentViews();
    expect(before.views.map((each) => each?.text)).toEqual(Array(6).fill('as it is'));

    expect(await restrict(id)).toEqual({ changed: true, revision: 2 });
    const unavailable = [404, errorBody('post_unavailable')];
    expect(await currentViews()).toEqual({
      single: [unavailable, unavailable],
      anonymous: unavailable,
      views: Array(6).fill(undefined),
      posts: before.posts - 1,
    });
    expect(await restrict(id)).toEqual({ changed: false, revision: 2 });

    expect(await unrestrict(id)).toEqual({ changed: true, revision: 3 });
    expect(await currentViews()).toEqual(before);
    expect(await unrestrict(id)).toEqual({ changed: false, revision: 3 });
  });

  it('keeps its replies, whose parent is then unavailable, and its likes come back with it', async () => {
    const id = await post(alice, 'a question');
    const answer = await post(bob, 'an answer', { parentId: id });
    await like(bob, id);
    const currentViews = async () => {
      const reply = (await alice.get(`/api/posts/${answer}`)).body.post;
      const { relations } = (await bob.get('/api/relations')).body;
      const liked = relations.some(({ targetId }: { targetId: string }) => targetId === id);
      const { inbox } = (await alice.get('/api/inbox')).body;
      const isInInbox = inbox.some(({ sourceId }: { sourceId: string }) => sourceId === id);
      return [reply.parentUnavailable, reply.rootUnavailable, liked, isInInbox];
    };
    expect(await currentViews()).toEqual([false, false, true, true]);
    await restrict(id);
    expect(await currentViews()).toEqual([true, true, false, false]);
    expect(statusAndBody(await bob.get(`/api/posts/${id}/replies`))).toEqual([
      404,
      errorBody('post_unavailable'),
    ]);
    await unrestrict(id);
    expect(await currentViews()).toEqual([false, false, true, true]);
  });

  it('is reported in feeds and deltas to everybody who may have a copy', async () => {
    const id = await post(alice, 'held by everybody');
    const { cursor } = (await bob.get('/api/reconcile')).body;
    const changesSince = async () => {
      const feed = (await bob.get(`/api/events?cursor=${cursor}`)).body;
      const view = (await bob.get(`/api/reconcile?cursor=${cursor}`)).body;
      return { feed, view };
    };
    await restrict(id);
    const restricted = await changesSince();
    expect(restricted.feed.events).toMatchObject([
      { kind: 'post.deleted', postId: id, actorId: alice.actorId },
    ]);
    expect([restricted.view.replace, idsIn(restricted.view.posts).includes(id)]).toEqual([true, false]);
    await unrestrict(id);
    const back = await changesSince();
    expect(back.feed).toMatchObject({ replace: true, events: [] });
    expect([back.view.replace, idsIn(back.view.posts).includes(id)]).toEqual([true, true]);
  });

  it('can be neither edited, replied to, liked nor reported', async () => {
    const id = await createPost(alice);
    await restrict(id);
    const report = { ...newIntent(), postId: id, reason: 'spam' };
    for (const [answering, status, code] of [
      [editPost(alice, id), 404, 'post_unavailable'],
      [editPost(bob, id), 404, 'post_unavailable'],
      [deletePost(bob, id), 404, 'post_unavailable'],
      [alice.say('me too', { parentId: id }), 404, 'parent_unavailable'],
      [bob.say('me too', { parentId: id }), 404, 'parent_unavailable'],
      [bob.put(`/api/relations/like/${id}`, newIntent()), 403, 'interaction_unavailable'],
      [bob.post('/api/reports', report), 404, 'post_unavailable'],
    ] as const)
      expect(statusAndBody(await answering)).toEqual([status, errorBody(code)]);
  });

  it('returns its current state to repeated intents', async () => {
    const [creation, change] = [{ intentId: randomUUID() }, { intentId: randomUUID() }];
    const id = await createPost(alice, 'as it was', creation);
    await editPost(alice, id, change);
    const repeated = async () => [
      (await alice.say('as it was', creation)).body.post,
      (await editPost(alice, id, change)).body.post,
    ];
    const both = (status: string) => [
      { id, revision: 1, status },
      { id, revision: 2, status },
    ];
    await restrict(id);
    expect(await repeated()).toEqual(both('restricted'));
    await unrestrict(id);
    expect(await repeated()).toEqual(both('published'));
  });

  it('that a recovered log has lost is restricted again when its creation is repeated', async () => {
    const { actorId, appId } = alice;
    const { intentId } = newIntent();
    const from = { grantId: 'g', requestId: 'r', addressClass: 'unknown' } as const;
    const postId = createdId('post', { ...from, intentId, actorId, appId });
    const opened = await openLogOf(network);
    const data = { postId, authorActorId: actorId, at: 1_000 };
    await opened.log.append({
      stream: streams.post(postId),
      expected: 'no_stream',
      events: [{ id: randomUUID(), event: { type: 'post.restricted', data } }],
      metadata: { requestId: 'a recovery' },
    });
    await opened.close();
    const answers = await Promise.all([1, 2, 3].map(() => alice.say('lost and found', { intentId })));
    for (const answer of answers)
      expect(statusAndBody(answer)).toEqual([
        200,
        { post: { id: postId, revision: 1, status: 'restricted' } },
      ]);
    expect((await alice.get(`/api/posts/${postId}`)).status).toBe(404);
    expect(await unrestrict(postId)).toEqual({ changed: true, revision: 3 });
    expect((await bob.get(`/api/posts/${postId}`)).body.post.text).toBe('lost and found');
  });

  it('that its author deletes stays deleted, whatever the operator does', async () => {
    const id = await createPost(alice);
    await restrict(id);
    const deletion = await deletePost(alice, id);
    expect(statusAndBody(deletion)).toEqual([200, { post: { id, revision: 2, status: 'deleted' } }]);
    await expect(unrestrict(id)).rejects.toThrow('(post_deleted)');
    await expect(restrict(id)).rejects.toThrow('(post_deleted)');
    expect((await alice.get(`/api/posts/${id}`)).status).toBe(404);
  });

  it('that is deleted concurrently ends as deleted', async () => {
    for (let round = 0; round < 5; round++) {
      const id = await createPost(alice);
      const [deletion] = await Promise.all([deletePost(alice, id), restrict(id).catch(() => undefined)]);
      expect(statusAndBody(deletion)).toEqual([200, { post: { id, revision: 2, status: 'deleted' } }]);
      expect((await alice.get(`/api/posts/${id}`)).status).toBe(404);
    }
  });

  it('stays restricted after a restart of the network', async () => {
    const id = await createPost(alice);
    await restrict(id);
    await network.restart();
    expect((await alice.get(`/api/posts/${id}`)).status).toBe(404);
    expect(await unrestrict(id)).toEqual({ changed: true, revision: 3 });
    expect((await alice.get(`/api/posts/${id}`)).body.post.text).toBe('as it was');
  });
});

describe('plaza post', () => {
  const plaza = async (...args: string[]) => {
    const { code, stdout, stderr } = await runPlaza(['post', ...args], network.env);
    return [code, stdout, stderr];
  };

  it('restricts and unrestricts, and records operator, reason and lifecycle revision', async () => {
    const id = await createPost(alice);
    const why = ['--reason', 'a complaint', '--as', 'grace'];
    expect(await plaza('restrict', id, ...why)).toEqual([
      0,
      `${id} is restricted now (lifecycle revision 2)\n`,
      '',
    ]);
    expect(await plaza('restrict', id, ...why)).toEqual([
      0,
      `${id} is restricted already (lifecycle revision 2); nothing changed\n`,
      '',
    ]);
    expect(await plaza('unrestrict', id, ...why, '--revision', '1')).toEqual([
      1,
      '',
      expect.stringMatching(
        /^Its lifecycle revision is now 2 \(restricted\).*\(lifecycle_revision_conflict\)\n$/,
      ),
    ]);
    expect(await plaza('unrestrict', id, ...why, '--revision', '2', '--json')).toEqual([
      0,
      '{"changed":true,"revision":3}\n',
      '',
    ]);
    const { stdout } = await runPlaza(['audit', '--post', id, '--wait', '--json'], network.env);
    const acts = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { type: string });
    expect(acts.map(({ type }) => type)).toEqual(['post.unrestricted', 'post.restricted', 'post.created']);
    expect(acts[1]).toMatchObject({ operator: 'grace', reason: 'a complaint', actorId: null });
  });

  it.each([
    ['no reason', ['restrict', 'p1'], 2],
    ['no post', ['restrict', '--reason', 'why'], 2],
    ['a revision of 0', ['restrict', 'p1', '--reason', 'why', '--revision', '0'], 2],
    ['an empty reason', ['unrestrict', 'p1', '--reason', ''], 2],
    ['an unknown post', ['restrict', 'p1', '--reason', 'why'], 1],
    ['a malformed post id', ['unrestrict', 'no post', '--reason', 'why'], 1],
  ])('refuses %s', async (_what, args, code) => {
    expect(await plaza(...args)).toEqual([code, '', expect.stringMatching(/.+/)]);
  });
});

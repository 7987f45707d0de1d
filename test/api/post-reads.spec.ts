import { beforeAll, describe, expect, it } from '@jest/globals';
import { operatorOf, registerApplication, send } from '../support/api.js';
import { personWithToken } from '../support/people.js';
import type { Application, SignedIn } from '../support/api.js';
import { statusAndBody, block, editPost, postScopes, deletePost, createPost } from '../support/posts.js';
import { sharedNetwork } from '../support/shared-network.js';
import type { SharedNetwork } from '../support/shared-network.js';
import { until } from '../support/until.js';

let network: SharedNetwork;
let application: Application;
let alice: SignedIn;
let bob: SignedIn;

beforeAll(async () => {
  network = await sharedNetwork();
  application = await registerApplication(network);
  alice = await personWithToken(network, application, postScopes);
  bob = await personWithToken(network, application, postScopes);
});

const newPerson = () => personWithToken(network, application, postScopes);
const anonymously = (path: string) => send(network.baseUrl, 'GET', path);
const errorBody = (code: string) => ({ error: code, message: expect.any(String) });
const unavailable = [404, errorBody('post_unavailable')];
const notFound = [404, errorBody('not_found')];

async function setState({ actorId }: SignedIn, act: 'suspend' | 'reinstate'): Promise<void> {
  await operatorOf(network).post(`accounts/:id/${act}`, { id: actorId, reason: 'a test' });
  const due = act === 'suspend' ? 404 : 200;
  await until(async () => (await anonymously(`/api/actors/${actorId}`)).status === due);
}

describe('a post', () => {
  it('is public, with the published fields [post-id, post-author, post-text, post-audience, post-revision, post-created-at, post-origin-app, post-edited]', async () => {
    const id = await createPost(alice, 'for "everybody" ☕');
    const answer = await anonymously(`/api/posts/${id}`);
    expect(statusAndBody(answer)).toEqual([
      200,
      {
        post: {
          id,
          authorActorId: alice.actorId,
          text: 'for "everybody" ☕',
          audience: 'public',
          revision: 1,
          createdAt: expect.any(Number),
          originApp: { id: alice.appId, name: 'Pebble' },
          edited: false,
        },
      },
    ]);
    expect(answer.headers.get('x-network-actor-id')).toBeNull();
    const signedIn = await bob.get(`/api/posts/${id}`);
    expect(signedIn.body).toEqual(answer.body);
    expect(signedIn.headers.get('x-network-actor-id')).toBe(bob.actorId);
  });

  it.each(['never_was', 'no%20id', '%F0%9F%98%80', 'x'.repeat(65)])(
    'that never existed is not found: %s',
    async (id) => {
      expect(statusAndBody(await alice.get(`/api/posts/${id}`))).toEqual(unavailable);
      expect(statusAndBody(await anonymously(`/api/posts/${id}`))).toEqual(unavailable);
    },
  );

  it('needs the scope read if a token is sent', async () => {
    const id = await createPost(alice);
    const unscoped = await personWithToken(network, application, 'openid post:create');
    for (const path of [`/api/posts/${id}`, `/api/actors/${alice.actorId}/posts`]) {
      expect(statusAndBody(await unscoped.get(path))).toEqual([403, errorBody('capability_required')]);
      const dead = await send(network.baseUrl, 'GET', path, { headers: { authorization: 'Bearer dead' } });
      expect(statusAndBody(dead)).toEqual([401, errorBody('invalid_token')]);
    }
  });

  it('is hidden from both sides of a block, and from nobody else', async () => {
    const eve = await newPerson();
    const [hers, mine] = [await createPost(eve), await createPost(alice)];
    expect((await block(eve, alice)).status).toBe(200);
    expect(statusAndBody(await alice.get(`/api/posts/${hers}`))).toEqual(unavailable);
    expect(statusAndBody(await eve.get(`/api/posts/${mine}`))).toEqual(unavailable);
    expect(statusAndBody(await eve.get(`/api/posts/${mine}/replies`))).toEqual(unavailable);
    for (const id of [hers, mine]) expect((await bob.get(`/api/posts/${id}`)).status).toBe(200);
    const path = `/api/actors/${eve.actorId}/posts`;
    expect(statusAndBody(await alice.get(path))).toEqual(notFound);
    expect((await anonymously(path)).body.posts).toHaveLength(1);
  });
});

describe('a reply', () => {
  const flags = async (id: string, by = bob) => {
    const { parentUnavailable, rootUnavailable } = (await by.get(`/api/posts/${id}`)).body.post;
    return [parentUnavailable, rootUnavailable];
  };

  /** A thread of three, of which Bob wrote the last two. */
  const thread = async (author: SignedIn) => {
    const root = await createPost(author, 'root');
    const parent = await createPost(bob, 'parent', { parentId: root });
    return { root, parent, reply: await createPost(bob, 'reply', { parentId: parent }) };
  };

  it('reports its root or parent as unavailable once that is deleted [post-parent-unavailable, post-root-unavailable]', async () => {
    const { root, parent, reply } = await thread(alice);
    expect(await flags(reply)).toEqual([false, false]);
    await deletePost(alice, root);
    expect([await flags(parent), await flags(reply)]).toEqual([
      [true, true],
      [false, true],
    ]);
    await deletePost(bob, parent);
    expect(await flags(reply)).toEqual([true, true]);
  });

  it('reports its root or parent as unavailable while its author is suspended', async () => {
    const eve = await newPerson();
    const { root, parent, reply } = await thread(eve);
    await setState(eve, 'suspend');
    expect([await flags(parent), await flags(reply)]).toEqual([
      [true, true],
      [false, true],
    ]);
    expect(statusAndBody(await bob.say('late', { parentId: root }))).toEqual([
      404,
      errorBody('parent_unavailable'),
    ]);
    await setState(eve, 'reinstate');
    expect([await flags(parent), await flags(reply)]).toEqual([
      [false, false],
      [false, false],
    ]);
  });

  it.each(['the author of the post', 'a person who replies'])(
    'is refused if %s has set a block [post-parent-unavailable, post-root-unavailable]',
    async (who) => {
      const eve = await newPerson();
      const { root, parent, reply } = await thread(alice);
      const [from, to] = who.startsWith('the') ? [alice, eve] : [eve, alice];
      expect((await block(from, to)).status).toBe(200);
      expect(statusAndBody(await eve.say('no', { parentId: root }))).toEqual([
        404,
        errorBody('parent_unavailable'),
      ]);
      expect([await flags(parent, eve), await flags(reply, eve)]).toEqual([
        [true, true],
        [false, true],
      ]);
      expect((await eve.say('yes', { parentId: parent })).status).toBe(200);
      expect(await flags(parent)).toEqual([false, false]);
    },
  );
});

describe('the posts of an actor', () => {
  const idsOf = (posts: readonly { id: string }[]) => posts.map(({ id }) => id);

  it('come newest first, with replies and edited posts, in consecutive pages', async () => {
    const [eve, parentId] = [await newPerson(), await createPost(alice)];
    const ids = [
      await createPost(eve),
      await createPost(eve, 'reply', { parentId }),
      await createPost(eve),
      await createPost(eve),
    ];
    await editPost(eve, ids[0] ?? '');
    await deletePost(eve, ids[2] ?? '');
    const expected = [ids[3], ids[1], ids[0]];
    const path = `/api/actors/${eve.actorId}/posts`;
    const whole = await anonymously(path);
    expect([idsOf(whole.body.posts), Object.keys(whole.body)]).toEqual([expected, ['posts']]);
    expect(whole.body.posts.map(({ edited }: { edited: boolean }) => edited)).toEqual([false, false, true]);
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const { body } = await bob.get(`${path}?limit=1${cursor === undefined ? '' : `&cursor=${cursor}`}`);
      seen.push(...idsOf(body.posts));
      cursor = body.cursor;
      await createPost(eve, 'while it is read');
    } while (cursor !== undefined);
    expect(seen).toEqual(expected);
  });

  it.each<[string, number]>([
    ['', 50],
    ['?limit=1', 1],
    ['?limit=0', 1],
    ['?limit=-1', 1],
    ['?limit=1000000000', 52],
    ['?limit=abc', 50],
    ['?limit=50.5', 50],
    ['?limit=', 50],
    ['?limit=2&limit=3', 50],
  ])('come in pages of the requested size: %j', async (query, count) => {
    const path = `/api/actors/${(await prolificAuthor()).actorId}/posts${query}`;
    expect((await bob.get(path)).body.posts).toHaveLength(count);
  });

  let prolific: SignedIn | undefined;
  /** Has 52 posts. */
  const prolificAuthor = async (): Promise<SignedIn> => {
    if (prolific) return prolific;
    prolific = await newPerson();
    for (let n = 0; n < 52; n++) await createPost(prolific);
    return prolific;
  };

  it('are not found for an unknown or suspended actor', async () => {
    const eve = await newPerson();
    await createPost(eve);
    await setState(eve, 'suspend');
    for (const actorId of ['nobody', 'no%20id', 'x'.repeat(65), eve.actorId])
      expect(statusAndBody(await bob.get(`/api/actors/${actorId}/posts`))).toEqual(notFound);
  });

  it('refuse a cursor of another list or reader', async () => {
    const { actorId } = await prolificAuthor();
    const path = `/api/actors/${actorId}/posts?limit=1`;
    const cursor: string = (await bob.get(path)).body.cursor;
    const invalid = [400, errorBody('invalid_page_cursor')];
    for (const wrong of [
      '',
      'abc',
      cursor.slice(0, -1),
      `${cursor}A`,
      `${cursor.startsWith('A') ? 'B' : 'A'}${cursor.slice(1)}`,
      `${cursor}&cursor=${cursor}`,
    ])
      expect(statusAndBody(await bob.get(`${path}&cursor=${wrong}`))).toEqual(invalid);
    expect(statusAndBody(await alice.get(`${path}&cursor=${cursor}`))).toEqual(invalid);
    expect(statusAndBody(await anonymously(`${path}&cursor=${cursor}`))).toEqual(invalid);
    const others = `/api/actors/${alice.actorId}/posts?cursor=${cursor}`;
    expect(statusAndBody(await bob.get(others))).toEqual(invalid);
    expect((await bob.get(`${path}&cursor=${cursor}`)).status).toBe(200);
  });
});

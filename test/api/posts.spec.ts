import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { registerApplication, send } from '../support/api.js';
import { personWithToken } from '../support/people.js';
import type { SignedIn } from '../support/api.js';
import { sharedNetwork } from '../support/shared-network.js';
import type { SharedNetwork } from '../support/shared-network.js';

let network: SharedNetwork;
let alice: SignedIn;
let bob: SignedIn;
let reader: SignedIn;

beforeAll(async () => {
  network = await sharedNetwork();
  const application = await registerApplication(network);
  alice = await personWithToken(network, application);
  bob = await personWithToken(network, application);
  reader = await personWithToken(network, application, 'openid read');
});

const errorBody = (code: string) => ({ error: code, message: expect.any(String) });

const handles = (count: number) => Array.from({ length: count }, (_, n) => `@handle_${n}`).join(' ');

describe('creating a post', () => {
  it('returns its id, revision and status, and the revision at which reads show it [post-result, posts-create]', async () => {
    const answer = await alice.say('hello');
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      post: { id: expect.stringMatching(/^[A-Za-z0-9_-]{22}$/), revision: 1, status: 'published' },
    });
    expect(answer.headers.get('x-network-write-revision')).toMatch(/^[0-9]+$/);
    expect(answer.headers.get('x-network-revision')).toBeNull();
  });

  it('shows it to its author as soon as it is acknowledged [posts-create]', async () => {
    for (let n = 0; n < 20; n++) {
      const { body, headers } = await alice.say(`number ${n}`);
      const view = await alice.get('/api/reconcile');
      expect(view.body.ownPosts[0]).toMatchObject({ id: body.post.id, text: `number ${n}` });
      expect(view.body.cursor).toBeGreaterThanOrEqual(Number(headers.get('x-network-write-revision')));
    }
  });

  it('returns the first answer for a repeated intent, and writes nothing [posts-retry]', async () => {
    const body = { intentId: randomUUID(), text: 'only once', audience: 'public' };
    const first = await alice.post('/api/posts', body);
    const second = await alice.post('/api/posts', body);
    expect([second.status, second.body]).toEqual([200, first.body]);
    const { body: view } = await alice.get('/api/reconcile');
    expect(view.ownPosts.filter(({ text }: { text: string }) => text === 'only once')).toHaveLength(1);
  });

  it.each([
    ['text', { text: 'another' }],
    ['parent', { parentId: 'somewhere_else' }],
  ])(
    'refuses an intentId that was used with another %s [posts-intent-conflict, posts-refusals]',
    async (_what, change) => {
      const { body: parent } = await bob.say('a parent');
      const body = { intentId: randomUUID(), text: 'first', audience: 'public', parentId: parent.post.id };
      expect((await alice.post('/api/posts', body)).status).toBe(200);
      const answer = await alice.post('/api/posts', { ...body, ...change });
      expect([answer.status, answer.body]).toEqual([409, errorBody('intent_conflict')]);
    },
  );

  it('lets two people use the same intentId, each for a post of their own', async () => {
    const body = { intentId: randomUUID(), text: 'mine', audience: 'public' };
    const [first, second] = [await alice.post('/api/posts', body), await bob.post('/api/posts', body)];
    expect([first.status, second.status]).toEqual([200, 200]);
    expect(first.body.post.id).not.toBe(second.body.post.id);
  });

  it('makes one post from identical concurrent requests', async () => {
    for (let round = 0; round < 10; round++) {
      const body = { intentId: randomUUID(), text: `at once ${round}`, audience: 'public' };
      const answers = await Promise.all(Array.from({ length: 4 }, () => alice.post('/api/posts', body)));
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
      expect(new Set(answers.map((answer) => answer.body.post.id)).size).toBe(1);
      const { body: view } = await alice.get('/api/reconcile');
      expect(view.ownPosts.filter(({ text }: { text: string }) => text === body.text)).toHaveLength(1);
    }
  });

  it('accepts one of two conflicting concurrent requests', async () => {
    const body = { intentId: randomUUID(), audience: 'public' };
    const answers = await Promise.all(
      ['one', 'two'].map((text) => alice.post('/api/posts', { ...body, text })),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 409]));
  });

  const valid = { intentId: 'intent-1', text: 'x', audience: 'public' };
  it.each<[string, unknown, string, number]>([
    ['no intentId', { ...valid, intentId: undefined }, 'intent_required', 400],
    ['an intentId of another type', { ...valid, intentId: 7 }, 'intent_required', 400],
    ['an intentId with a space', { ...valid, intentId: 'a b' }, 'intent_required', 400],
    ['an intentId of 129 characters', { ...valid, intentId: 'x'.repeat(129) }, 'intent_required', 400],
    ['no text', { ...valid, text: undefined }, 'invalid_text', 400],
    ['text of another type', { ...valid, text: ['x'] }, 'invalid_text', 400],
    ['empty text', { ...valid, text: ' ' }, 'invalid_text', 400],
    ['text that is too long', { ...valid, text: 'x'.repeat(2_001) }, 'invalid_text', 400],
    ['text with a control character', { ...valid, text: 'a\u0007' }, 'invalid_text', 400],
    [
      'text with a lone surrogate',
      '{"intentId":"i","text":"\\ud800","audience":"public"}',
      'invalid_text',
      400,
    ],
    ['no audience', { ...valid, audience: undefined }, 'unsupported_audience', 400],
    ['an unsupported audience', { ...valid, audience: 'friends' }, 'unsupported_audience', 400],
    ['an unknown field', { ...valid, actorId: 'someone' }, 'unknown_or_immutable_field', 400],
    [
      'a field named constructor',
      '{"constructor":{},"intentId":"i","text":"x","audience":"public"}',
      'unknown_or_immutable_field',
      400,
    ],
    [
      'a field named __proto__',
      '{"__proto__":{},"intentId":"i","text":"x","audience":"public"}',
      'unknown_or_immutable_field',
      400,
    ],
    ['a malformed parent', { ...valid, parentId: 'no parent!' }, 'invalid_parent', 400],
    ['a parent of another type', { ...valid, parentId: null }, 'invalid_parent', 400],
    ['an unknown parent', { ...valid, parentId: 'nobody_wrote_this' }, 'parent_unavailable', 404],
    ['text that names 51 handles', { ...valid, text: handles(51) }, 'domain_plan_too_large', 413],
    ['a body that is no JSON object', '[]', 'invalid_json', 400],
    ['half a body', '{"intentId":', 'invalid_json', 400],
    ['an empty body', '', 'invalid_json', 400],
  ])('refuses %s [posts-refusals]', async (_name, body, code, status) => {
    const answer = await alice.post('/api/posts', body);
    expect([answer.status, answer.body]).toEqual([status, errorBody(code)]);
  });

  it('accepts 2,000 code points of any kind', async () => {
    expect((await alice.say('😀'.repeat(2_000))).status).toBe(200);
  });

  it('refuses a body over 64 KiB [posts-refusals]', async () => {
    const answer = await alice.post('/api/posts', JSON.stringify({ ...valid, text: 'x'.repeat(64 * 1024) }));
    expect([answer.status, answer.body]).toEqual([413, errorBody('domain_plan_too_large')]);
  });

  it.each([
    { 'content-type': 'text/plain' },
    { 'content-type': 'application/json; charset=latin1' },
    { 'content-encoding': 'gzip' },
  ])('refuses another content type or encoding: %j', async (headers) => {
    const answer = await alice.post('/api/posts', JSON.stringify(valid), headers);
    expect([answer.status, answer.body]).toEqual([415, errorBody('invalid_json')]);
  });

  it('refuses a body that is not UTF-8', async () => {
    const response = await fetch(`${network.baseUrl}/api/posts`, {
      method: 'POST',
      headers: { authorization: `Bearer ${alice.token}`, 'content-type': 'application/json' },
      body: Buffer.from([0x22, 0xff, 0x22]),
    });
    expect([response.status, await response.json()]).toEqual([400, errorBody('invalid_json')]);
  });

  it('needs the scope post:create [posts-scope]', async () => {
    const answer = await reader.say('not allowed');
    expect([answer.status, answer.body]).toEqual([403, errorBody('capability_required')]);
  });

  it('checks the token before the body [posts-headers]', async () => {
    const answer = await send(network.baseUrl, 'POST', '/api/posts', { body: { nonsense: true } });
    expect([answer.status, answer.body]).toEqual([401, errorBody('authentication_required')]);
    expect(answer.headers.get('www-authenticate')).toBe('Bearer realm="plaza"');
  });

  it('refuses a foreign Origin and accepts the network’s own [posts-origin, origin-rule]', async () => {
    const refused = await alice.post('/api/posts', valid, { origin: 'https://elsewhere.example' });
    expect([refused.status, refused.body]).toEqual([403, errorBody('origin_mismatch')]);
    expect((await alice.say('from here', {})).status).toBe(200);
    const own = { ...valid, intentId: randomUUID() };
    expect((await alice.post('/api/posts', own, { origin: network.baseUrl })).status).toBe(200);
  });
});

describe('replies', () => {
  it('name their parent and the root of their thread, oldest first [posts-create, post-parent-id, post-root-id, post-audience, post-created-at, replies-answer]', async () => {
    const { body: root } = await alice.say('root');
    const { body: first } = await bob.say('first', { parentId: root.post.id });
    const { body: second } = await alice.say('second', { parentId: root.post.id });
    const { body: nested } = await alice.say('nested', { parentId: first.post.id });

    const answer = await bob.get(`/api/posts/${root.post.id}/replies`);
    expect(answer.status).toBe(200);
    const common = {
      audience: 'public',
      revision: 1,
      createdAt: expect.any(Number),
      originApp: { id: alice.appId, name: 'Pebble' },
      edited: false,
      parentUnavailable: false,
      rootUnavailable: false,
      rootId: root.post.id,
    };
    expect(answer.body).toEqual({
      posts: [
        { ...common, id: first.post.id, authorActorId: bob.actorId, text: 'first', parentId: root.post.id },
        {
          ...common,
          id: second.post.id,
          authorActorId: alice.actorId,
          text: 'second',
          parentId: root.post.id,
        },
      ],
    });
    expect(Math.abs(answer.body.posts[0].createdAt - Date.now())).toBeLessThan(60_000);

    const below = await bob.get(`/api/posts/${first.post.id}/replies`);
    expect(below.body).toMatchObject({
      posts: [{ id: nested.post.id, parentId: first.post.id, rootId: root.post.id }],
    });
  });

  it('come in consecutive pages linked by rel="next", without repeats or gaps', async () => {
    const { body: root } = await alice.say('many');
    const ids: string[] = [];
    for (let n = 0; n < 5; n++)
      ids.push((await bob.say(`reply ${n}`, { parentId: root.post.id })).body.post.id);
    const seen: string[] = [];
    let path: string | undefined = `/api/posts/${root.post.id}/replies?limit=2`;
    while (path !== undefined) {
      const { body, headers } = await alice.get(path);
      seen.push(...body.posts.map(({ id }: { id: string }) => id));
      path = /^<([^>]+)>; rel="next"$/.exec(headers.get('link') ?? '')?.[1];
    }
    expect(seen).toEqual(ids);
  });

  it('of an unknown post are not found [replies-id]', async () => {
    const answer = await alice.get('/api/posts/never_was/replies');
    expect([answer.status, answer.body]).toEqual([404, errorBody('post_unavailable')]);
  });

  it('refuse a malformed cursor, and one of another reader or post', async () => {
    const [{ body: one }, { body: other }] = [await alice.say('one'), await alice.say('other')];
    for (const { post } of [one, other])
      for (let n = 0; n < 2; n++) await bob.say(`reply ${n}`, { parentId: post.id });
    const { headers } = await alice.get(`/api/posts/${one.post.id}/replies?limit=1`);
    const cursor = /cursor=([A-Za-z0-9_-]+)>/.exec(headers.get('link') ?? '')?.[1] ?? '';
    const page = (post: string, by: string) => `/api/posts/${post}/replies?limit=1&cursor=${by}`;
    expect((await alice.get(page(one.post.id, cursor))).status).toBe(200);
    for (const answer of [
      await alice.get(page(one.post.id, 'abc')),
      await alice.get(page(one.post.id, `${cursor}AAAA`)),
      await alice.get(page(other.post.id, cursor)),
      await bob.get(page(one.post.id, cursor)),
      await send(network.baseUrl, 'GET', page(one.post.id, cursor)),
      await alice.get(`${page(one.post.id, cursor)}&cursor=${cursor}`),
    ])
      expect([answer.status, answer.body]).toEqual([400, errorBody('invalid_page_cursor')]);
  });

  it('are public', async () => {
    const { body: root } = await alice.say('open');
    await bob.say('reply', { parentId: root.post.id });
    const answer = await send(network.baseUrl, 'GET', `/api/posts/${root.post.id}/replies`);
    expect(answer.status).toBe(200);
    expect(answer.body.posts).toHaveLength(1);
    expect(answer.headers.get('x-network-actor-id')).toBeNull();
  });
});

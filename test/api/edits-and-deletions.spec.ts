import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { streams } from '../../src/log/streams.js';
import { registerApplication, send } from '../support/api.js';
import { personWithToken } from '../support/people.js';
import type { SignedIn } from '../support/api.js';
import { openLogOf } from '../support/network-log.js';
import { statusAndBody, editPost, postScopes, deletePost, createPost } from '../support/posts.js';
import { sharedNetwork } from '../support/shared-network.js';
import type { SharedNetwork } from '../support/shared-network.js';

let network: SharedNetwork;
let alice: SignedIn;
let bob: SignedIn;

beforeAll(async () => {
  network = await sharedNetwork();
  const application = await registerApplication(network);
  alice = await personWithToken(network, application, postScopes);
  bob = await personWithToken(network, application, postScopes);
});

const errorBody = (code: string) => ({ error: code, message: expect.any(String) });
const readPost = async (id: string, by = bob) => (await by.get(`/api/posts/${id}`)).body.post;

describe('editing a post', () => {
  it('shows everybody the text with the application and time of the edit [service-one-network, post-revision, post-edited, post-last-edit-at]', async () => {
    const other = await registerApplication(network, 'Quill');
    const editor = await personWithToken(network, other, postScopes);
    const id = await createPost(editor);
    const answer = await editPost(editor, id);
    expect(statusAndBody(answer)).toEqual([200, { post: { id, revision: 2, status: 'published' } }]);
    expect(answer.headers.get('x-network-write-revision')).toMatch(/^[0-9]+$/);
    const post = await readPost(id, editor);
    expect(post).toMatchObject({
      text: 'as it is',
      revision: 2,
      edited: true,
      originApp: { id: editor.appId, name: 'Quill' },
      lastEditAppId: editor.appId,
    });
    expect(post.lastEditAt).toBeGreaterThanOrEqual(post.createdAt);
    expect(await readPost(id)).toEqual(post);
  });

  it('keeps every version in the log', async () => {
    const id = await createPost(alice, 'one');
    await editPost(alice, id, { text: 'two' });
    await editPost(alice, id, { text: 'three', revision: 2 });
    const opened = await openLogOf(network);
    const events = await opened.log.read(streams.post(id));
    await opened.close();
    expect(events.map(({ event }) => [event.type, (event.data as { text?: string }).text])).toEqual([
      ['post.created', 'one'],
      ['post.edited', 'two'],
      ['post.edited', 'three'],
    ]);
  });

  it.each([' 👩‍👩‍👧 ザ\tשלום\n', 'e\u0301'.repeat(1_000), '😀'.repeat(2_000)])(
    'accepts any text: %j',
    async (text) => {
      const id = await createPost(alice);
      expect((await editPost(alice, id, { text })).status).toBe(200);
      expect((await readPost(id)).text).toBe(text.normalize('NFC').trim());
    },
  );

  it('changes nothing if the text is the same', async () => {
    const id = await createPost(alice);
    const same = await editPost(alice, id, { text: ' as it was ' });
    expect(statusAndBody(same)).toEqual([200, { post: { id, revision: 1, status: 'published' } }]);
    expect(await readPost(id)).toMatchObject({ revision: 1, edited: false });
  });

  it.each<[string, object, string]>([
    ['no intentId', { intentId: undefined }, 'intent_required'],
    ['an intentId of another type', { intentId: 1 }, 'intent_required'],
    ['no revision', { revision: undefined }, 'revision_required'],
    ['a revision as a string', { revision: '1' }, 'revision_required'],
    ['a revision of null', { revision: null }, 'revision_required'],
    ['a fractional revision', { revision: 1.5 }, 'revision_required'],
    ['revision 0', { revision: 0 }, 'revision_required'],
    ['a revision beyond the safe integers', { revision: 1e300 }, 'revision_required'],
    ['no text', { text: undefined }, 'invalid_text'],
    ['text of another type', { text: {} }, 'invalid_text'],
    ['empty text', { text: ' \n' }, 'invalid_text'],
    ['text that is too long', { text: 'x'.repeat(2_001) }, 'invalid_text'],
    ['text with a control character', { text: '\u0000' }, 'invalid_text'],
    ['another audience', { audience: 'public' }, 'unknown_or_immutable_field'],
    ['another parent', { parentId: 'p' }, 'unknown_or_immutable_field'],
    ['another author', { authorActorId: 'a' }, 'unknown_or_immutable_field'],
  ])('refuses %s [states-revision, version-revisions]', async (_what, fields, code) => {
    const id = await createPost(alice);
    expect(statusAndBody(await editPost(alice, id, fields))).toEqual([400, errorBody(code)]);
    expect((await readPost(id)).revision).toBe(1);
  });

  it.each(['[]', '"x"', '{"intentId":', ''])('refuses a body that is no JSON object: %j', async (body) => {
    const id = await createPost(alice);
    expect(statusAndBody(await alice.patch(`/api/posts/${id}`, body))).toEqual([
      400,
      errorBody('invalid_json'),
    ]);
  });

  it('refuses to mention more than fifty handles', async () => {
    const text = Array.from({ length: 51 }, (_, index) => `@handle_${index}`).join(' ');
    const many = errorBody('domain_plan_too_large');
    expect(statusAndBody(await alice.say(text))).toEqual([413, many]);
    const id = await createPost(alice);
    expect(statusAndBody(await editPost(alice, id, { text }))).toEqual([413, many]);
  });
});

describe('deleting a post', () => {
  it('hides it from everybody, and keeps its replies [states-codes, posts-refusals]', async () => {
    const id = await createPost(alice);
    const reply = await createPost(bob, 'reply', { parentId: id });
    const answer = await deletePost(alice, id);
    expect(statusAndBody(answer)).toEqual([200, { post: { id, revision: 2, status: 'deleted' } }]);
    expect(statusAndBody(await bob.get(`/api/posts/${id}`))).toEqual([404, errorBody('post_unavailable')]);
    expect(await readPost(reply)).toMatchObject({
      parentId: id,
      parentUnavailable: true,
      rootUnavailable: true,
    });
    const late = await bob.say('too late', { parentId: id });
    expect(statusAndBody(late)).toEqual([404, errorBody('parent_unavailable')]);
  });

  it('changes the answer to a repeated creation to deleted [post-result-deleted]', async () => {
    const body = { intentId: randomUUID(), text: 'first', audience: 'public' };
    const { body: created } = await alice.post('/api/posts', body);
    await editPost(alice, created.post.id);
    expect((await alice.post('/api/posts', body)).body).toEqual(created);
    await deletePost(alice, created.post.id, { revision: 2 });
    const again = await alice.post('/api/posts', body);
    expect(statusAndBody(again)).toEqual([
      200,
      { post: { id: created.post.id, revision: 3, status: 'deleted' } },
    ]);
  });

  it.each<[string, string, string]>([
    ['no intentId', 'revision=1', 'intent_required'],
    ['an empty intentId', 'intentId=&revision=1', 'intent_required'],
    ['two intentIds', 'intentId=a&intentId=b&revision=1', 'intent_required'],
    ['no revision', 'intentId=a', 'revision_required'],
    ['a revision that is no number', 'intentId=a&revision=one', 'revision_required'],
    ['revision 0', 'intentId=a&revision=0', 'revision_required'],
    ['two revisions', 'intentId=a&revision=1&revision=1', 'revision_required'],
    ['an unknown parameter', 'intentId=a&revision=1&force=true', 'unknown_or_immutable_field'],
  ])('refuses %s', async (_what, query, code) => {
    const id = await createPost(alice);
    expect(statusAndBody(await alice.delete(`/api/posts/${id}?${query}`))).toEqual([400, errorBody(code)]);
    expect((await readPost(id)).revision).toBe(1);
  });

  it('ignores a body', async () => {
    const id = await createPost(alice);
    const inBody = { intentId: randomUUID(), revision: 1 };
    const headers = { authorization: `Bearer ${alice.token}` };
    const without = await send(network.baseUrl, 'DELETE', `/api/posts/${id}`, { body: inBody, headers });
    expect(statusAndBody(without)).toEqual([400, errorBody('intent_required')]);
    const path = `/api/posts/${id}?intentId=${randomUUID()}&revision=1`;
    expect((await send(network.baseUrl, 'DELETE', path, { body: { revision: 9 }, headers })).status).toBe(
      200,
    );
  });
});

import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { registerApplication } from '../support/api.js';
import { personWithToken } from '../support/people.js';
import type { SignedIn } from '../support/api.js';
import { editPost, createPost } from '../support/posts.js';
import { sharedNetwork } from '../support/shared-network.js';
import type { SharedNetwork } from '../support/shared-network.js';
import { everyScope } from './support/operations.js';

let network: SharedNetwork;
let alice: SignedIn;
let bob: SignedIn;

beforeAll(async () => {
  network = await sharedNetwork();
  const application = await registerApplication(network);
  const scopes = everyScope.join(' ');
  alice = await personWithToken(network, application, scopes);
  bob = await personWithToken(network, application, scopes);
});

describe.each([
  ['emoji of several code points', '👩‍🚀🇪🇺❤️👍🏽'],
  ['letters beyond the basic plane', '𝒜𠮷'],
  ['a right-to-left script', 'می‌خواهم'],
  ['decomposed letters', 'Zoe\u0308'],
  ['an SQL statement', "'; DROP TABLE post; --"],
  ['HTML markup', '<script>alert(1)</script>&amp;'],
  ['placeholders and escapes', '$1 ${x} {{x}} %s %00 \\u0000 \\'],
  ['the word null', 'null'],
  ['the name __proto__', '__proto__'],
])('%s in a text', (_what, written) => {
  const expected = written.normalize('NFC');
  const textOf = async (id: string) => (await bob.get(`/api/posts/${id}`)).body.post.text;

  it('is posted, edited and read again', async () => {
    const id = await createPost(alice, written);
    expect(await textOf(id)).toBe(expected);
    expect((await editPost(alice, id, { text: `${written}!` })).status).toBe(200);
    expect(await textOf(id)).toBe(`${expected}!`);
  });

  it('is accepted as a display name, in a bio and in a report', async () => {
    const { revision } = (await alice.get('/api/profile')).body.profile;
    const change = { intentId: randomUUID(), revision, displayName: written, bio: `${written}!` };
    expect((await alice.patch('/api/profile', change)).status).toBe(200);
    const { actor } = (await bob.get(`/api/actors/${alice.actorId}`)).body;
    expect([actor.displayName, actor.bio]).toEqual([expected, `${expected}!`]);
    const report = { intentId: randomUUID(), actorId: bob.actorId, reason: 'other', text: written };
    expect((await alice.post('/api/reports', report)).status).toBe(200);
  });
});

import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { registerApplication, signIn } from '../support/api.js';
import type { SignedIn } from '../support/api.js';
import { edit, wrote } from '../support/posts.js';
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
  alice = await signIn(network, application, scopes);
  bob = await signIn(network, application, scopes);
});

describe.each([
  ['emoji that are made of several', '👩‍🚀🇪🇺❤️👍🏽'],
  ['letters beyond the first plane', '𝒜𠮷'],
  ['a script from right to left', 'می‌خواهم'],
  ['letters that are composed of two', 'Zoe\u0308'],
  ['what looks like a query', "'; DROP TABLE post; --"],
  ['what looks like HTML', '<script>alert(1)</script>&amp;'],
  ['what looks like a placeholder', '$1 ${x} {{x}} %s %00 \\u0000 \\'],
  ['what looks like a value', 'null'],
  ['the names that objects have', '__proto__'],
])('%s', (_what, written) => {
  const kept = written.normalize('NFC');
  const textOf = async (id: string) => (await bob.get(`/api/posts/${id}`)).body.post.text;

  it('can be posted, edited and read again', async () => {
    const id = await wrote(alice, written);
    expect(await textOf(id)).toBe(kept);
    expect((await edit(alice, id, { text: `${written}!` })).status).toBe(200);
    expect(await textOf(id)).toBe(`${kept}!`);
  });

  it('can be a name, and stand in a bio and a report', async () => {
    const { revision } = (await alice.get('/api/profile')).body.profile;
    const change = { intentId: randomUUID(), revision, displayName: written, bio: `${written}!` };
    expect((await alice.patch('/api/profile', change)).status).toBe(200);
    const { actor } = (await bob.get(`/api/actors/${alice.actorId}`)).body;
    expect([actor.displayName, actor.bio]).toEqual([kept, `${kept}!`]);
    const report = { intentId: randomUUID(), actorId: bob.actorId, reason: 'other', text: written };
    expect((await alice.post('/api/reports', report)).status).toBe(200);
  });
});

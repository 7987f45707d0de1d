import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Recorded } from '../../src/log/recorded.js';
import type { EventOf } from '../../src/log/registry.js';
import type { OpenLog } from '../../src/log/open-log.js';
import { streams } from '../../src/log/streams.js';
import { operatorOf, registerApplication } from '../support/api.js';
import { personWithToken } from '../support/people.js';
import type { Application, SignedIn } from '../support/api.js';
import { openLogOf } from '../support/network-log.js';
import { block, editPost, postScopes, createPost } from '../support/posts.js';
import { sharedNetwork } from '../support/shared-network.js';
import type { SharedNetwork } from '../support/shared-network.js';

let network: SharedNetwork;
let application: Application;
let opened: OpenLog;
let alice: PersonWithHandle;
let bob: PersonWithHandle;
let eve: PersonWithHandle;

interface PersonWithHandle extends SignedIn {
  readonly handle: string;
}

async function newPerson(): Promise<PersonWithHandle> {
  const person = await personWithToken(network, application, `${postScopes} profile:write`);
  const { body } = await person.get('/api/profile');
  return { ...person, handle: body.profile.handle };
}

beforeAll(async () => {
  network = await sharedNetwork();
  application = await registerApplication(network);
  opened = await openLogOf(network);
  [alice, bob, eve] = [await newPerson(), await newPerson(), await newPerson()];
});

afterAll(async () => {
  await opened?.close();
});

type Version = Recorded<EventOf<'post.created' | 'post.edited'>>;

/** The actors whom the newest version of the post mentions. */
async function mentionsOf(id: string): Promise<readonly string[] | undefined> {
  const [newest] = await opened.log.read(streams.post(id), { limit: 1, direction: 'backwards' });
  return (newest as Version | undefined)?.event.data.mentions;
}

describe('a post mentions', () => {
  it('the holders of the named handles, each once', async () => {
    const text = `@${bob.handle} and @${eve.handle.toUpperCase()}, also @${bob.handle}: hello!`;
    expect(await mentionsOf(await createPost(alice, text))).toEqual([bob.actorId, eve.actorId]);
  });

  it('neither its author nor unknown handles', async () => {
    const text = `@${alice.handle} @nobody_has_this @${bob.handle}x someone@${bob.handle}.example`;
    expect(await mentionsOf(await createPost(alice, text))).toEqual([]);
  });

  it('the people named by its newest version', async () => {
    const id = await createPost(alice, `@${bob.handle}`);
    await editPost(alice, id, { text: `@${eve.handle}` });
    expect(await mentionsOf(id)).toEqual([eve.actorId]);
  });

  it('no suspended people', async () => {
    const gone = await newPerson();
    await operatorOf(network).post('accounts/:id/suspend', { id: gone.actorId, reason: 'a test' });
    expect(await mentionsOf(await createPost(alice, `@${gone.handle} @${bob.handle}`))).toEqual([
      bob.actorId,
    ]);
  });

  it('nobody behind a block, whichever side set it', async () => {
    const [blocker, blocked] = [await newPerson(), await newPerson()];
    expect((await block(blocker, alice)).status).toBe(200);
    expect((await block(alice, blocked)).status).toBe(200);
    const text = `@${blocker.handle} @${blocked.handle} @${bob.handle}`;
    expect(await mentionsOf(await createPost(alice, text))).toEqual([bob.actorId]);
  });

  it('the current holder of a handle; a repeated intent keeps its first mentions', async () => {
    const [holder, handle] = [await newPerson(), `h_${randomUUID().slice(0, 8)}`];
    const rename = (by: PersonWithHandle, to: string) =>
      by.patch('/api/profile', { intentId: randomUUID(), revision: 1, handle: to });
    const body = { intentId: randomUUID(), text: `@${holder.handle} @${handle}`, audience: 'public' };
    const { body: first } = await alice.post('/api/posts', body);
    expect(await mentionsOf(first.post.id)).toEqual([holder.actorId]);
    expect((await rename(holder, handle)).status).toBe(200);
    expect((await alice.post('/api/posts', body)).body).toEqual(first);
    expect(await mentionsOf(first.post.id)).toEqual([holder.actorId]);
    expect(await mentionsOf(await createPost(alice, `@${holder.handle}`))).toEqual([]);
    expect(await mentionsOf(await createPost(alice, `@${handle}`))).toEqual([holder.actorId]);
  });

  it('at most fifty people', async () => {
    const named = Array.from({ length: 49 }, (_, index) => `@nobody_${index}`).join(' ');
    expect(await mentionsOf(await createPost(alice, `${named} @${bob.handle}`))).toEqual([bob.actorId]);
    const tooMany = await alice.say(`${named} @${bob.handle} @${eve.handle}`);
    expect([tooMany.status, tooMany.body.error]).toEqual([413, 'domain_plan_too_large']);
  });
});

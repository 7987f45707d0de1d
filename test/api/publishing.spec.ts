import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { operatorOf, registerApplication, send } from '../support/api.js';
import { personWithToken } from '../support/people.js';
import type { Application, SignedIn } from '../support/api.js';
import { runPlaza } from '../support/command.js';
import { lentNetwork } from '../support/lent-network.js';
import type { TestNetwork } from '../support/network.js';

let network: TestNetwork;
let application: Application;
let alice: SignedIn;
let reader: SignedIn;

const scopes = 'openid read post:create post:edit post:delete profile:write report:create';

beforeAll(async () => {
  network = await lentNetwork();
  application = await registerApplication(network);
  alice = await personWithToken(network, application, scopes);
  reader = await personWithToken(network, application, 'openid read');
});

afterAll(async () => {
  await operator().post('publishing/resume');
  await network?.stop();
});

const operator = () => operatorOf(network);
const paused = { error: 'publishing_paused', message: expect.any(String) };

beforeEach(async () => {
  await operator().post('publishing/resume');
});

describe('a pause of publishing', () => {
  it('refuses every publication from the next request on, until it ends [posts-refusals]', async () => {
    const body = { intentId: randomUUID(), text: 'held up', audience: 'public' };
    expect(await operator().post('publishing/pause', { reason: 'a flood of spam' })).toEqual({
      changed: true,
    });
    const refused = await alice.post('/api/posts', body);
    expect([refused.status, refused.body]).toEqual([503, paused]);
    expect(refused.headers.get('retry-after')).toBe('60');

    expect(await operator().post('publishing/resume', { reason: 'it is over' })).toEqual({ changed: true });
    const retried = await alice.post('/api/posts', body);
    expect([retried.status, retried.body.post.status]).toEqual([200, 'published']);
  });

  it('reports when it changes nothing', async () => {
    expect(await operator().post('publishing/resume')).toEqual({ changed: false });
    await operator().post('publishing/pause');
    expect(await operator().post('publishing/pause')).toEqual({ changed: false });
  });

  it('is reported to everybody, but a faulty credential comes first', async () => {
    await operator().post('publishing/pause');
    const body = { intentId: randomUUID(), text: 'x', audience: 'public' };
    const anonymous = await send(network.baseUrl, 'POST', '/api/posts', { body });
    expect([anonymous.status, anonymous.body.error]).toEqual([401, 'authentication_required']);
    const unscoped = await reader.post('/api/posts', body);
    expect([unscoped.status, unscoped.body.error]).toEqual([403, 'capability_required']);
  });

  it('is reported before any other fault, also for an intent that succeeded before', async () => {
    const body = { intentId: randomUUID(), text: 'before the pause', audience: 'public' };
    const before = await alice.post('/api/posts', body);
    await operator().post('publishing/pause');
    for (const again of [body, { ...body, text: 'another' }, { nonsense: true }]) {
      const answer = await alice.post('/api/posts', again);
      expect([answer.status, answer.body]).toEqual([503, paused]);
    }
    await operator().post('publishing/resume');
    expect((await alice.post('/api/posts', body)).body).toEqual(before.body);
  });

  it('refuses edits of posts, and allows their deletion', async () => {
    const { body } = await alice.say('as it was');
    const path = `/api/posts/${body.post.id}`;
    await operator().post('publishing/pause');
    const edit = { intentId: randomUUID(), revision: 1, text: 'otherwise' };
    const refused = await alice.patch(path, edit);
    expect([refused.status, refused.body]).toEqual([503, paused]);
    const deletion = await alice.delete(`${path}?intentId=${randomUUID()}&revision=1`);
    expect([deletion.status, deletion.body.post.status]).toEqual([200, 'deleted']);
  });

  it('refuses changes of profiles', async () => {
    const { revision } = (await alice.get('/api/profile')).body.profile;
    await operator().post('publishing/pause', { reason: 'a test' });
    const answer = await alice.patch('/api/profile', { intentId: randomUUID(), revision, bio: 'paused' });
    await operator().post('publishing/resume', { reason: 'a test' });
    expect([answer.status, answer.body.error]).toEqual([503, 'publishing_paused']);
  });

  it('allows reports', async () => {
    const bob = await personWithToken(network, application);
    const postId = String((await bob.say('buy my lamps')).body.post.id);
    await operator().post('publishing/pause');
    const report = { intentId: randomUUID(), postId, reason: 'spam' };
    expect((await alice.post('/api/reports', report)).status).toBe(200);
  });

  it('does not affect reads', async () => {
    const { body } = await alice.say('still here');
    await operator().post('publishing/pause');
    const view = await alice.get('/api/reconcile');
    expect([view.status, view.body.ownPosts[0].id]).toEqual([200, body.post.id]);
    expect((await send(network.baseUrl, 'GET', `/api/posts/${body.post.id}/replies`)).status).toBe(200);
  });

  it('persists through a restart of the network', async () => {
    await operator().post('publishing/pause');
    await network.restart();
    expect((await alice.say('too early')).body).toEqual(paused);
    await operator().post('publishing/resume');
    expect((await alice.say('at last')).status).toBe(200);
  });

  it('begins and ends by plaza publishing', async () => {
    const runPublishing = async (...args: string[]) => {
      const { code, stdout, stderr } = await runPlaza(['publishing', ...args], network.env);
      return [code, stdout, stderr];
    };
    expect(await runPublishing('pause', '--reason', 'a flood of spam')).toEqual([
      0,
      'publishing is paused now\n',
      '',
    ]);
    expect(await runPublishing('pause')).toEqual([0, 'publishing is paused already; nothing changed\n', '']);
    expect((await alice.say('no')).body).toEqual(paused);
    expect(await runPublishing('resume')).toEqual([0, 'publishing is open now\n', '']);
    expect(await runPublishing('resume', '--json')).toEqual([0, '{"changed":false}\n', '']);
    expect(await runPublishing('pause', '--reason', '')).toEqual([
      2,
      '',
      'reason (--reason): say why in 1 to 500 characters (invalid_request)\n',
    ]);
  });
});

import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openLog } from '../../src/log/open-log.js';
import type { OpenLog } from '../../src/log/open-log.js';
import { streams } from '../../src/log/streams.js';
import { operatorOf, registerApplication, send } from '../support/api.js';
import { personWithToken } from '../support/people.js';
import type { Application, SignedIn } from '../support/api.js';
import { runPlaza } from '../support/command.js';
import { sharedNetwork } from '../support/shared-network.js';
import type { SharedNetwork } from '../support/shared-network.js';

const scope = 'openid read post:create report:create';

let network: SharedNetwork;
let application: Application;
let opened: OpenLog;
let alice: SignedIn;
let bob: SignedIn;
let bobsPost: string;

beforeAll(async () => {
  network = await sharedNetwork();
  application = await registerApplication(network);
  alice = await personWithToken(network, application, scope);
  bob = await personWithToken(network, application, scope);
  bobsPost = String((await bob.say('buy my lamps')).body.post.id);
  opened = await openLog({
    eventStoreUrl: network.env['EVENTSTORE_URL'] ?? '',
    vaultDatabaseUrl: network.env['VAULT_DATABASE_URL'] ?? '',
    applicationName: 'test',
  });
});

afterAll(async () => {
  await opened?.close();
});

const errorBody = (code: string) => ({ error: code, message: expect.any(String) });
const received = { report: { id: expect.stringMatching(/^[A-Za-z0-9_-]{22}$/), status: 'received' } };

const report = (by: SignedIn, fields: object) =>
  by.post('/api/reports', { intentId: randomUUID(), reason: 'spam', ...fields });

const recorded = (reportId: string) => opened.log.read(streams.report(reportId));

async function block(by: SignedIn, target: SignedIn): Promise<void> {
  const stream = streams.pair(by.actorId, target.actorId);
  const newest = (await opened.log.read(stream)).at(-1);
  const data = { actorId: by.actorId, targetActorId: target.actorId, at: Date.now() };
  await opened.log.append({
    stream,
    expected: newest?.revision ?? 'no_stream',
    events: [{ id: randomUUID(), event: { type: 'block.established', data } }],
    metadata: { requestId: 'test' },
  });
}

describe('a report', () => {
  it('of a post is received, and records the author of the post for operators', async () => {
    const answer = await report(alice, { postId: bobsPost, text: 'the same everywhere' });
    expect([answer.status, answer.body]).toEqual([200, received]);
    expect(answer.headers.get('x-network-write-revision')).toMatch(/^[0-9]+$/);
    const [event] = await recorded(answer.body.report.id);
    expect(event?.event).toEqual({
      type: 'report.created',
      data: {
        reportId: answer.body.report.id,
        reporterActorId: alice.actorId,
        appId: alice.appId,
        postId: bobsPost,
        targetActorId: bob.actorId,
        reason: 'spam',
        text: 'the same everywhere',
        at: expect.any(Number),
      },
    });
  });

  it('of an actor needs no text', async () => {
    for (const text of [undefined, '', '  '])
      expect((await report(alice, { actorId: bob.actorId, text })).body).toEqual(received);
  });

  it('is listed by plaza audit under the reported person, and its text is disclosed', async () => {
    const { body } = await report(alice, { actorId: bob.actorId, reason: 'other', text: 'see his lamps' });
    const { stdout } = await runPlaza(['audit', '--actor', bob.actorId, '--wait'], network.env);
    const found = stdout.split('\n').find((line) => line.includes(body.report.id));
    const listed = JSON.parse(found ?? '{}') as { readonly eventId?: string };
    expect(listed).toMatchObject({
      type: 'report.created',
      actorId: alice.actorId,
      subject: { reporterActorId: alice.actorId, targetActorId: bob.actorId },
      undisclosed: true,
    });
    expect(stdout).not.toContain('see his lamps');
    const disclosure = ['disclose', listed.eventId ?? '', '--reason', 'a test'];
    expect(JSON.parse((await runPlaza(disclosure, network.env)).stdout)).toMatchObject({
      actorId: alice.actorId,
      texts: { text: 'see his lamps' },
    });
  });

  it('is made once for a repeated intent, also for concurrent requests', async () => {
    const body = { intentId: randomUUID(), actorId: bob.actorId, reason: 'spam', text: 'once' };
    const answers = await Promise.all(Array.from({ length: 4 }, () => alice.post('/api/reports', body)));
    answers.push(await alice.post('/api/reports', body));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    expect(new Set(answers.map((answer) => answer.body.report.id)).size).toBe(1);
    expect(await recorded(answers[0]?.body.report.id)).toHaveLength(1);
  });

  it.each([
    ['text', { text: 'another' }],
    ['reason', { reason: 'illegal' }],
    ['target', { actorId: undefined, postId: 'another' }],
  ])('refuses an intentId that was used with another %s', async (_what, change) => {
    const body = { intentId: randomUUID(), actorId: bob.actorId, reason: 'spam', text: 'first' };
    await alice.post('/api/reports', body);
    const answer = await alice.post('/api/reports', { ...body, ...change });
    expect([answer.status, answer.body]).toEqual([409, errorBody('intent_conflict')]);
  });

  it('is accepted from one of two conflicting concurrent requests', async () => {
    const body = { intentId: randomUUID(), actorId: bob.actorId };
    const answers = await Promise.all(
      ['spam', 'illegal'].map((reason) => alice.post('/api/reports', { ...body, reason })),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 409]));
  });

  it.each<[string, object, string, number]>([
    ['no intentId', { intentId: undefined }, 'intent_required', 400],
    ['an intentId with a space', { intentId: 'a b' }, 'intent_required', 400],
    ['no target', { actorId: undefined }, 'invalid_report', 400],
    ['two targets', { postId: 'a_post' }, 'invalid_report', 400],
    ['a malformed actor', { actorId: 'no actor!' }, 'invalid_report', 400],
    ['a malformed post', { actorId: undefined, postId: '' }, 'invalid_report', 400],
    ['a post of another type', { actorId: undefined, postId: 7 }, 'invalid_report', 400],
    ['an actor of another type', { actorId: null }, 'invalid_report', 400],
    ['no reason', { reason: undefined }, 'invalid_report', 400],
    ['an unknown reason', { reason: 'boredom' }, 'invalid_report', 400],
    ['the reason constructor', { reason: 'constructor' }, 'invalid_report', 400],
    ['text of another type', { text: ['x'] }, 'invalid_text', 400],
    ['text that is too long', { text: 'x'.repeat(2_001) }, 'invalid_text', 400],
    ['text with a control character', { text: 'a\u0007' }, 'invalid_text', 400],
    ['an unknown field', { status: 'closed' }, 'unknown_or_immutable_field', 400],
    ['an unknown actor', { actorId: 'nobody' }, 'not_found', 404],
    ['an unknown post', { actorId: undefined, postId: 'nobody_wrote_this' }, 'post_unavailable', 404],
  ])('is refused with %s', async (_what, change, code, status) => {
    const answer = await report(alice, { actorId: bob.actorId, ...change });
    expect([answer.status, answer.body]).toEqual([status, errorBody(code)]);
  });

  it('of oneself or of one’s own post is refused', async () => {
    for (const own of [{ actorId: bob.actorId }, { postId: bobsPost }]) {
      const answer = await report(bob, own);
      expect([answer.status, answer.body]).toEqual([400, errorBody('invalid_report')]);
    }
  });

  it('needs a token with the scope report:create', async () => {
    const reader = await personWithToken(network, application, 'openid read');
    const unscoped = await report(reader, { actorId: bob.actorId });
    expect([unscoped.status, unscoped.body]).toEqual([403, errorBody('capability_required')]);
    const anonymous = await send(network.baseUrl, 'POST', '/api/reports', { body: {} });
    expect([anonymous.status, anonymous.body]).toEqual([401, errorBody('authentication_required')]);
  });
});

describe('a report of a hidden person', () => {
  it('is answered as for an unknown actor while they are suspended', async () => {
    const carl = await personWithToken(network, application, scope);
    const { body } = await carl.say('soon gone');
    await operatorOf(network).post('accounts/:id/suspend', { id: carl.actorId, reason: 'spam' });
    const answers = [
      await report(alice, { actorId: carl.actorId }),
      await report(alice, { postId: body.post.id }),
    ];
    expect(answers.map((answer) => answer.body)).toEqual([
      errorBody('not_found'),
      errorBody('post_unavailable'),
    ]);
  });

  it('is answered as for an unknown actor if they have blocked the reporter, until the reporter blocks them too', async () => {
    const [dora, emil] = [
      await personWithToken(network, application, scope),
      await personWithToken(network, application, scope),
    ];
    const { body } = await emil.say('you know why');
    await block(emil, dora);
    const unknown = [
      await report(dora, { actorId: 'nobody' }),
      await report(dora, { postId: 'nobody_wrote_this' }),
    ];
    const blocked = [
      await report(dora, { actorId: emil.actorId }),
      await report(dora, { postId: body.post.id }),
    ];
    expect(blocked.map((answer) => answer.body)).toEqual(unknown.map((answer) => answer.body));
    expect(blocked.map(({ status }) => status)).toEqual([404, 404]);

    expect((await report(emil, { actorId: dora.actorId })).status).toBe(200);
    await block(dora, emil);
    expect((await report(dora, { actorId: emil.actorId })).status).toBe(200);
    expect((await report(dora, { postId: body.post.id })).status).toBe(200);
  });
});

/**
 * Processes, stores and operators that are missing while a case is handled.
 * @sample first
 */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readConfig } from '../../src/base/config/config.js';
import { openLog } from '../../src/log/open-log.js';
import type { OpenLog } from '../../src/log/open-log.js';
import { streams } from '../../src/log/streams.js';
import { idsAlone } from '../../src/operator/client/names-in-lines.js';
import { caseLines, caseViewLines } from '../../src/operator/cases/commands/case-table.js';
import { operatorOf, registerApplication } from '../support/api.js';
import { personWithToken } from '../support/people.js';
import type { Application, SignedIn } from '../support/api.js';
import { personWithPage } from '../support/account-visitor.js';
import { runPlaza } from '../support/command.js';
import { enrollInConsole } from '../support/console.js';
import { decide, newModerator, report, reportedPost, stateOf } from '../support/moderators.js';
import type { Moderator } from '../support/moderators.js';
import { startNetwork } from '../support/network.js';
import type { TestNetwork } from '../support/network.js';
import { createPost } from '../support/posts.js';
import { until } from '../support/until.js';
import { Gates } from '../recovery/support/gates.js';

const scope = 'openid read post:create report:create';

let network: TestNetwork;
let opened: OpenLog;
let gates: Gates | undefined;
let application: Application;
let alice: SignedIn;
let bob: SignedIn;
let grace: Moderator;

beforeAll(async () => {
  network = await startNetwork();
  application = await registerApplication(network);
  alice = await personWithToken(network, application, scope);
  bob = await personWithToken(network, application, scope);
  grace = await newModerator(network);
  opened = await openLog({
    eventStoreUrl: network.env['EVENTSTORE_URL'] ?? '',
    vaultDatabaseUrl: network.env['VAULT_DATABASE_URL'] ?? '',
    applicationName: 'test',
  });
});

afterAll(async () => {
  await gates?.close();
  await opened?.close();
  await network?.stop();
});

const typesIn = async (stream: string) => (await opened.log.read(stream)).map(({ event }) => event.type);

describe('the worker', () => {
  it('killed while reports of one post arrive, opens one case', async () => {
    const postId = await createPost(bob);
    const before = network.pids().worker ?? 0;
    const reports = (count: number) =>
      Promise.all(Array.from({ length: count }, () => report(alice, { postId })));
    await reports(10);
    process.kill(before, 'SIGKILL');
    await reports(10);
    const caseId = `post-${postId}`;
    await until(async () => {
      const { cases } = await grace.client.get('cases', { state: 'open' });
      return cases.some((each) => each.caseId === caseId && each.reports === 20);
    });
    expect(network.pids().worker).not.toBe(before);
    expect(await typesIn(streams.case(caseId))).toEqual(['case.opened']);
  });
});

describe('a claim', () => {
  it('shows no text while the log is away, and answers 503', async () => {
    const caseId = await reportedPost(grace, alice, await createPost(bob, 'not without the log'));
    const eventStore = network.pids().eventStore ?? 0;
    const claim = async () => {
      const { OPERATOR_PORT: port } = network.env;
      const answer = await fetch(`http://localhost:${port}/operator/cases/${caseId}/claim`, {
        method: 'POST',
        headers: { authorization: `Bearer ${grace.token}`, 'content-type': 'application/json' },
        body: '{}',
      });
      return [answer.status, await answer.text()] as const;
    };
    process.kill(eventStore, 'SIGSTOP');
    try {
      const [status, text] = await claim();
      expect([status, text]).toEqual([503, expect.stringContaining('domain_storage_unavailable')]);
      expect(text).not.toContain('not without the log');
    } finally {
      process.kill(eventStore, 'SIGCONT');
    }
    const [, shown] = await until(async () => {
      const answer = await claim();
      return answer[0] === 200 && answer;
    });
    expect(shown).toContain('not without the log');
  });
});

describe('an appeal in a network with one moderator', () => {
  it('waits, and list and console say that another one is needed', async () => {
    const person = await personWithPage(network, application, scope);
    const postId = await createPost(person);
    const caseId = await reportedPost(grace, alice, postId);
    await decide(grace, caseId, ['restrict_post']);
    const [visitor, page] = await person.openAccount();
    await visitor.submitTo(page, '/decisions', { appeal: 'Why?' });
    const waiting = () =>
      until(async () => (await grace.client.get('cases', { state: 'appealed' })).cases[0]);
    expect(await waiting()).toMatchObject({ caseId, state: 'appealed', hasOtherOperator: false });
    const { stdout } = await runPlaza(['case', 'show', caseId], grace.env);
    const needed = 'another moderator must act on it, and there is none';
    expect(stdout).toContain(needed);
    const { operatorBaseUrl } = readConfig(network.env);
    const { browser } = await enrollInConsole(operatorBaseUrl, operatorOf(network), ['auditor']);
    for (const path of ['?state=appealed', `/${caseId}`])
      expect((await browser.open(`${operatorBaseUrl}/console/cases${path}`)).text).toContain(needed);
    const hedy = await newModerator(network);
    expect(await waiting()).toMatchObject({ hasOtherOperator: true });
    await hedy.client.post('cases/:id/claim', { id: caseId });
    await hedy.client.post('cases/:id/appeal/overturn', { id: caseId, reason: 'a test' });
    await operatorOf(network).post('operators/:id/suspend', { id: hedy.operatorId, reason: 'a test' });
    await report(alice, { postId });
    await until(async () => (await grace.client.get('cases/:id', { id: caseId })).isOpen);
    const open = () => grace.client.get('cases', { state: 'open', order: 'newest' });
    const reopened = await until(async () => (await open()).cases.find((each) => each.caseId === caseId));
    expect(reopened).toMatchObject({ hasOtherOperator: false });
    expect(caseLines([reopened], {}, idsAlone).at(-1)).toContain('open, needs another moderator');
    for (const path of ['?order=newest', `/${caseId}`])
      expect((await browser.open(`${operatorBaseUrl}/console/cases${path}`)).text).toContain(needed);
  });
});

describe('a decision', () => {
  it('that is overturned before its effect, which a slow process applies afterwards, leaves none', async () => {
    const person = await personWithPage(network, application, scope);
    const postId = await createPost(person);
    const caseId = await reportedPost(grace, alice, postId);
    await grace.client.post('cases/:id/claim', { id: caseId });
    const hedy = await newModerator(network);
    const [step, url] = ['a slow effect', network.env['WITNESS_DATABASE_URL'] ?? ''];
    gates = await Gates.install(url, [{ name: step, at: 'BEFORE INSERT ON restriction' }]);
    const decided = grace.client.post('cases/:id/decide', {
      id: caseId,
      outcome: 'violation',
      effects: ['restrict_post'],
      reason: 'x',
    });
    await gates.waitUntilReached(step);
    const [visitor, page] = await person.openAccount();
    await visitor.submitTo(page, '/decisions', { appeal: 'Why?' });
    await hedy.client.post('cases/:id/claim', { id: caseId });
    expect(await hedy.client.post('cases/:id/appeal/overturn', { id: caseId, reason: 'x' })).toEqual({
      effects: 'finished',
    });
    expect(await typesIn(streams.post(postId))).toEqual(['post.created']);
    await gates.open(step);
    await decided;
    await gates.close();
    expect(await typesIn(streams.post(postId))).toEqual([
      'post.created',
      'post.restricted',
      'post.unrestricted',
    ]);
  });

  it('that is overturned while its operator restricts the post: what hides it still is named', async () => {
    const person = await personWithPage(network, application, scope);
    const postId = await createPost(person);
    const caseId = await reportedPost(grace, alice, postId);
    await decide(grace, caseId, []);
    const hedy = await newModerator(network);
    const [visitor, page] = await person.openAccount();
    const [step, url] = ['a slow restriction', network.env['WITNESS_DATABASE_URL'] ?? ''];
    gates = await Gates.install(url, [{ name: step, at: 'BEFORE INSERT ON restriction' }]);
    const restricted = grace.client.post('posts/:id/restrict', { id: postId, reason: 'x' });
    await gates.waitUntilReached(step);
    await visitor.submitTo(page, '/decisions', { appeal: 'Why?' });
    await hedy.client.post('cases/:id/claim', { id: caseId });
    await hedy.client.post('cases/:id/appeal/overturn', { id: caseId, reason: 'x' });
    await gates.open(step);
    await restricted;
    await gates.close();
    expect((await hedy.client.get('cases/:id', { id: caseId })).hiddenBy).toMatchObject([
      { of: 'post', operatorId: grace.operatorId, cause: null },
    ]);
    const shown = caseViewLines(await hedy.client.get('cases/:id', { id: caseId }), idsAlone);
    expect(shown).toContainEqual(expect.stringMatching(/^restricted {2}.* by operator .* by itself$/));
    const [, { text }] = await person.openAccount();
    expect(text).toContain('there was no violation');
    expect(text).toMatch(/Your post is still hidden,\s+by an operator/);
  });

  it('whose process is killed before the effect has it once, after the restart', async () => {
    const postId = await createPost(bob);
    const caseId = await reportedPost(grace, alice, postId);
    await grace.client.post('cases/:id/claim', { id: caseId });
    // The witness records a restriction before the log has it.
    const [step, url] = ['the effect', network.env['WITNESS_DATABASE_URL'] ?? ''];
    gates = await Gates.install(url, [{ name: step, at: 'BEFORE INSERT ON restriction' }]);
    const decision = { outcome: 'violation', effects: ['restrict_post'] } as const;
    const decided = grace.client
      .post('cases/:id/decide', { id: caseId, ...decision, reason: 'a test' })
      .catch(String);
    await gates.waitUntilReached(step);
    expect((await typesIn(streams.case(caseId))).at(-1)).toBe('case.decided');
    const api = network.pids().api ?? 0;
    process.kill(api, 'SIGKILL');
    expect(await decided).toContain('its API does not answer');
    expect(await typesIn(streams.post(postId))).toEqual(['post.created']);
    await gates.terminateSessions(step);
    await gates.open(step);

    await until(async () => (await typesIn(streams.case(caseId))).at(-1) === 'case.effects_applied');
    expect(network.pids().api).not.toBe(api);
    const restriction = (await opened.log.read(streams.post(postId))).slice(1);
    expect(restriction).toMatchObject([
      {
        event: { type: 'post.restricted' },
        metadata: { cause: streams.case(caseId), operatorId: grace.operatorId },
      },
    ]);
    // Somebody shows it again: the decision does not restrict it twice.
    await until(async () => (await stateOf(grace, caseId)) === 'decided');
    await grace.client.post('posts/:id/unrestrict', { id: postId, reason: 'a test' });
    const other = await createPost(bob);
    const next = await reportedPost(grace, alice, other);
    await grace.client.post('cases/:id/claim', { id: next });
    await grace.client.post('cases/:id/decide', { id: next, ...decision, reason: 'a test' });
    expect(await typesIn(streams.post(other))).toEqual(['post.created', 'post.restricted']);
    expect(await typesIn(streams.post(postId))).toEqual([
      'post.created',
      'post.restricted',
      'post.unrestricted',
    ]);
  });
});

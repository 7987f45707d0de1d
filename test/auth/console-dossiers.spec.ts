import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Role } from '../../src/domain/operator/roles.js';
import { foundNetwork } from '../../src/incarnations/network-identity.js';
import { streams } from '../../src/log/streams.js';
import { startOperatorApi } from '../../src/operator/api/operator-server.js';
import { OperatorClient } from '../../src/operator/cli/operator-client.js';
import type { BrowserPage } from '../../src/operator/demo/browser.js';
import { enrollInConsole } from '../support/console.js';
import type { ConsoleUser } from '../support/console.js';
import { startAuthNetwork } from './support/auth-network.js';
import type { AuthNetwork } from './support/auth-network.js';

let network: AuthNetwork;
let operatorApi: { close(): Promise<void> };
let shared: OperatorClient;
let url: string;

beforeAll(async () => {
  network = await startAuthNetwork();
  await foundNetwork(network.log(), { uuid: randomUUID, networkId: () => 'n-1' }, Date.now);
  operatorApi = await startOperatorApi(network.app());
  shared = new OperatorClient(network.config, 'test');
  url = network.config.operatorBaseUrl;
});

afterAll(async () => {
  await operatorApi?.close();
  await network?.stop();
});

const enroll = (...roles: Role[]): Promise<ConsoleUser> => enrollInConsole(url, shared, roles);

/** Opens a page, and sends its form with this action. */
async function send(
  { browser }: ConsoleUser,
  path: string,
  action: string,
  typed: Readonly<Record<string, string>>,
): Promise<BrowserPage> {
  const page = await browser.open(url + path);
  const form = page.forms.find((each) => each.action === action);
  if (!form) throw new Error(`${path} has no form ${action}: ${page.text}`);
  return browser.submit(page, form, typed);
}

async function publish(text: string, authorActorId: string): Promise<string> {
  const postId = randomUUID();
  const data = {
    postId,
    authorActorId,
    appId: 'app',
    text,
    audience: 'public',
    mentions: [],
    at: 1,
  } as const;
  const created = { id: randomUUID(), event: { type: 'post.created', data } as const };
  const metadata = { requestId: 'test', actorId: authorActorId };
  await network
    .log()
    .append({ stream: streams.post(postId), expected: 'no_stream', events: [created], metadata });
  return postId;
}

const looksOf = async ({ operatorId }: ConsoleUser) =>
  (await network.log().read(streams.operatorLooks(operatorId))).map(({ event, metadata }) => ({
    type: event.type,
    data: event.data,
    by: metadata.operatorId,
  }));

describe('a dossier', () => {
  it('is a recorded look, in the console and by the API', async () => {
    const auditor = await enroll('auditor');
    const { clientId } = await network.registerApplication();
    const actorId = await network.createAccount('ada');
    await auditor.browser.open(`${url}/console/subjects?q=ada`);
    expect(await looksOf(auditor)).toEqual([]);
    await auditor.browser.open(`${url}/console/accounts/${actorId}`);
    await auditor.browser.open(`${url}/console/applications/${clientId}`);
    expect((await auditor.browser.open(`${url}/console/accounts/nobody`)).status).toBe(404);
    const by = auditor.operatorId;
    expect(await looksOf(auditor)).toMatchObject([
      { type: 'dossier.opened', data: { operatorId: by, actorId }, by },
      { type: 'dossier.opened', data: { operatorId: by, appId: clientId }, by },
    ]);
  });

  it('is not shown while the look cannot be recorded, and the overview says why', async () => {
    const actorId = await network.createAccount('lost');
    const token = readFileSync(join(network.config.dataDir, 'operator.token'), 'utf8').trim();
    const read = async (path: string) => {
      const response = await fetch(url + path, { headers: { authorization: `Bearer ${token}` } });
      return { status: response.status, text: await response.text() };
    };
    await network.eventStore.stop();
    try {
      const [dossier, overview] = await Promise.all([
        read(`/operator/accounts/${actorId}`),
        read('/operator/overview'),
      ]);
      expect([dossier.status, dossier.text]).toEqual([503, expect.not.stringContaining('lost')]);
      expect(overview.status).toBe(200);
      expect(JSON.parse(overview.text)).toMatchObject({
        readiness: { status: 'failed', components: { eventStore: { status: 'failed' } } },
        lag: null,
      });
    } finally {
      await network.eventStore.start();
    }
  });

  it('is found by handle and by id', async () => {
    const auditor = await enroll('auditor');
    const actorId = await network.createAccount('hedy');
    for (const q of ['hedy', '@Hedy', actorId])
      expect(
        (await auditor.browser.open(`${url}/console/subjects?q=${encodeURIComponent(q)}`)).text,
      ).toContain(`href="/console/accounts/${actorId}"`);
    for (const q of ['nobody', '<b>', ''])
      expect(
        (await auditor.browser.open(`${url}/console/subjects?q=${encodeURIComponent(q)}`)).text,
      ).not.toContain('href="/console/accounts/');
  });

  it('has no e-mail address', async () => {
    const auditor = await enroll('auditor');
    const page = await auditor.browser.open(`${url}/console/accounts/${await network.createAccount('mary')}`);
    expect(page.text).toContain('@mary');
    expect(page.text).not.toContain('mary@example.org');
  });

  it('of a post has no text without read models, and restricts it', async () => {
    const moderator = await enroll('moderator');
    const postId = await publish('a claim', await network.createAccount('grace'));
    const path = `/console/posts/${postId}`;
    const restricted = await send(moderator, path, `${path}/restrict`, { reason: 'spam' });
    expect(restricted.text).toContain('The post is restricted.');
    const unrestricted = await send(moderator, path, `${path}/unrestrict`, { reason: 'an error' });
    expect(unrestricted.text).toContain('published');
    expect(unrestricted.text).not.toContain('a claim');
    const newest = (await network.log().read(streams.post(postId))).map(({ event, metadata }) => [
      event.type,
      metadata.operatorId,
      metadata.reason,
    ]);
    expect(newest.slice(1)).toEqual([
      ['post.restricted', moderator.operatorId, 'spam'],
      ['post.unrestricted', moderator.operatorId, 'an error'],
    ]);
  });

  it('does not decide by an outdated page', async () => {
    const moderator = await enroll('moderator');
    const postId = await publish('a claim', await network.createAccount('joan'));
    const path = `/console/posts/${postId}`;
    const page = await moderator.browser.open(url + path);
    const form = page.forms.find(({ action }) => action === `${path}/restrict`)!;
    await shared.setPostState(postId, 'restrict', 'spam');
    const late = await moderator.browser.submit(page, form, { reason: 'spam' });
    expect([late.status, late.text]).toEqual([409, expect.stringContaining('lifecycle_revision_conflict')]);
  });
});

describe('a form of the console', () => {
  it('suspends and reinstates an account and an application', async () => {
    const moderator = await enroll('moderator');
    const { clientId } = await network.registerApplication();
    const actorId = await network.createAccount('annie');
    for (const path of [`/console/accounts/${actorId}`, `/console/applications/${clientId}`])
      for (const [act, said] of [
        ['suspend', 'is suspended.'],
        ['reinstate', 'is active.'],
      ] as const)
        expect((await send(moderator, path, `${path}/${act}`, { reason: 'a test' })).text).toContain(said);
    const [, suspended] = await network.log().read(streams.account(actorId));
    expect(suspended?.metadata).toMatchObject({ operatorId: moderator.operatorId, reason: 'a test' });
  });

  it('says what is missing, without a word of the command line', async () => {
    const moderator = await enroll('moderator');
    const path = `/console/accounts/${await network.createAccount('ella')}`;
    const page = await send(moderator, path, `${path}/suspend`, {});
    expect([page.status, page.text]).toEqual([400, expect.stringContaining('reason: say why')]);
    expect(page.text).not.toContain('--reason');
  });

  it('invites an operator, changes the roles, and suspends', async () => {
    const admin = await enroll('administrator');
    const invited = await send(admin, '/console/operators', '/console/operators', {
      name: 'Ida',
      roles: 'viewer',
    });
    const link = /http[^<]*enrollments\?code=plinv_[\w-]+/.exec(invited.text)?.[0] ?? '';
    expect((await admin.browser.open(link)).text).toContain('Welcome, <bdi>Ida</bdi>');
    const ida = (await shared.operators()).find(({ name }) => name === 'Ida')!;
    const one = `/console/operators/${ida.operatorId}`;
    await send(admin, '/console/operators', `${one}/roles`, { roles: 'auditor', reason: 'a new task' });
    await send(admin, '/console/operators', `${one}/suspend`, { reason: 'a mistake' });
    expect((await shared.operators()).find(({ name }) => name === 'Ida')).toMatchObject({
      state: 'suspended',
      roles: ['auditor'],
    });
    expect((await admin.browser.open(link)).status).toBe(404);
  });

  it('issues a token that the command line takes', async () => {
    const viewer = await enroll('viewer');
    const issued = await send(viewer, '/console/own', '/console/own/tokens', { label: 'desk', days: '1' });
    const operatorToken = /plop_[\w-]+/.exec(issued.text)?.[0] ?? '';
    const client = new OperatorClient(Object.assign({}, network.config, { operatorToken }), 'test');
    expect(await client.projections()).toMatchObject({ quarantine: null });
    expect((await viewer.browser.open(`${url}/console/own`)).text).not.toContain(operatorToken);
  });

  it('is not shown to a role that may not use it', async () => {
    const auditor = await enroll('auditor');
    const actorId = await network.createAccount('rosa');
    for (const path of [`/console/accounts/${actorId}`, '/console/operators', '/console/overview'])
      expect((await auditor.browser.open(url + path)).forms.map(({ action }) => action)).toEqual([
        '/console/sign-out',
      ]);
  });
});

describe('every page of the console', () => {
  it('warns of an operator whom the limited shared token invited, until one is confirmed', async () => {
    const admin = await enroll('administrator');
    await shared.limitSharedToken('a test');
    const { operatorId } = await shared.inviteOperator({ name: 'Mallory', roles: ['administrator'] });
    for (const path of ['/console/overview', '/console/own', '/console/operators'])
      expect((await admin.browser.open(url + path)).text).toContain(
        'The limited shared token invited Mallory',
      );
    await send(admin, '/console/operators', `/console/operators/${operatorId}/confirm`, {});
    expect((await admin.browser.open(`${url}/console/overview`)).text).not.toContain('Mallory');
  });
});

import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { CommandBus } from '@nestjs/cqrs';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { RecordLook } from '../../src/commands/operator/operator-looks.js';
import type { Role } from '../../src/domain/operator/roles.js';
import { foundNetwork } from '../../projections/incarnations/network-identity.js';
import { streams } from '../../src/log/streams.js';
import { startOperatorApi } from '../../src/operator/entrances/operator-server.js';
import { operatorClient } from '../support/operator-client.js';
import type { OperatorClient } from '../support/operator-client.js';
import type { BrowserPage } from '../../src/programs/demo/browser.js';
import { looksOf } from '../support/looks.js';
import { enrollOperator } from '../support/operators.js';
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
  shared = operatorClient(network.config);
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

const looks = (operatorId: string) => looksOf(network.log(), operatorId);

describe('a look', () => {
  /** An auditor by name, who asks with a personal token. */
  async function auditor() {
    const { operatorId, token } = await enrollOperator(shared, ['auditor', 'administrator']);
    const get = async (path: string) => {
      const response = await fetch(url + path, { headers: { authorization: `Bearer ${token}` } });
      return { status: response.status, text: await response.text() };
    };
    return { operatorId, get };
  }

  it('at a person, post, grant or application, or at everything, is an event, whatever shows it', async () => {
    const { operatorId, get } = await auditor();
    const [actorId, otherId] = [await network.createAccount('ada'), await network.createAccount('eve')];
    const { clientId } = await network.registerApplication();
    const postId = await publish('a claim', actorId);
    const follow = {
      kind: 'follow',
      actorId,
      targetId: otherId,
      targetActorId: otherId,
      generation: 1,
      at: 1,
    } as const;
    const pair = streams.pair(actorId, otherId);
    await network.log().append({
      stream: pair,
      expected: 'no_stream',
      events: [{ id: randomUUID(), event: { type: 'relation.established', data: follow } }],
      metadata: { requestId: 'test', actorId },
    });
    for (const [path, ...subjects] of [
      [`/operator/accounts/${actorId}`, { actorId }],
      [`/operator/audit?q=actor:${otherId}&limit=1`, { actorId: otherId }],
      [`/operator/subjects?q=${postId}`, { postId }],
      [`/operator/applications/${clientId}`, { appId: clientId }],
      ['/operator/log', {}],
    ] as const) {
      const before = await looks(operatorId);
      expect((await get(path)).status).toBe(200);
      expect([path, (await looks(operatorId)).slice(before.length)]).toEqual([path, subjects]);
    }
    // Repetitions, pages, and other answers about the same subjects.
    const seen = await looks(operatorId);
    for (const path of [
      `/operator/accounts/${actorId}`,
      `/operator/posts/${postId}`,
      `/operator/audit?q=${encodeURIComponent(`actor:${actorId} actor:${otherId} type:post.*`)}`,
      `/operator/audit/follow?q=${encodeURIComponent(`post:${postId}`)}`,
      `/operator/log/${pair}`,
      `/operator/log/post-${postId}`,
      `/operator/applications/${clientId}/impact`,
      '/operator/audit?q=type:post.*',
      '/operator/audit/follow',
      '/operator/log?before=9',
    ])
      expect([path, (await get(path)).status]).toEqual([path, 200]);
    expect(await looks(operatorId)).toEqual(seen);
    const other = await auditor();
    await other.get(`/operator/log/${pair}`);
    expect(new Set(await looks(other.operatorId))).toEqual(new Set([{ actorId }, { actorId: otherId }]));
  });

  it('in the console is one by the operator who is signed in', async () => {
    const { browser, operatorId } = await enroll('auditor');
    const actorId = await network.createAccount('hopper');
    await browser.open(`${url}/console/subjects?q=hopper`);
    await browser.open(`${url}/console/accounts/${actorId}`);
    await browser.open(`${url}/console/audit?q=actor:${actorId}`);
    expect((await browser.open(`${url}/console/accounts/nobody`)).status).toBe(404);
    expect(await looks(operatorId)).toEqual([{ actorId }]);
  });

  it('is one event if many at once are the first, in two processes, and another one in the next hour', async () => {
    const other = await network.startAnotherServer();
    try {
      const actorId = 'katherine';
      const record = ({ app }: { app: NestFastifyApplication }) =>
        app.get(CommandBus).execute(new RecordLook('grace', { actorId }, { requestId: 'test' }));
      const one = { app: network.app() };
      await Promise.all(Array.from({ length: 30 }, (_, n) => record(n % 2 ? one : other)));
      expect(await looks('grace')).toEqual([{ actorId }]);
      network.advanceClock(3_600_000);
      await Promise.all([one, other].map(record));
      expect(await looks('grace')).toEqual([{ actorId }, { actorId }]);
    } finally {
      await other.close();
    }
  });

  it('keeps no text that somebody typed and that is no id of the network', async () => {
    const { operatorId, get } = await auditor();
    await network.createAccount('dorothy');
    for (const path of [
      '/operator/accounts/dorothy',
      '/operator/log/account-dorothy',
      '/operator/log/account-dorothy?from=5',
      '/operator/applications/dorothy/impact',
      '/operator/audit?q=request:dorothy',
      '/operator/audit?q=post:dorothy',
    ])
      await get(path);
    expect(JSON.stringify(await looks(operatorId))).not.toContain('dorothy');
  });
});

describe('a dossier', () => {
  it('is not shown while the look cannot be recorded, and the overview says why', async () => {
    const actorId = await network.createAccount('lost');
    const token = readFileSync(join(network.config.dataDir, 'operator.token'), 'utf8').trim();
    const read = async (path: string) => {
      const response = await fetch(url + path, { headers: { authorization: `Bearer ${token}` } });
      return { status: response.status, text: await response.text() };
    };
    await network.eventStore.stop();
    try {
      const [dossier, search, all, overview] = await Promise.all(
        [
          `/operator/accounts/${actorId}`,
          `/operator/audit?q=actor:${actorId}`,
          '/operator/log',
          '/operator/overview',
        ].map(read),
      );
      for (const answer of [dossier, search, all])
        expect([answer?.status, answer?.text]).toEqual([503, expect.not.stringMatching(/lost|events/)]);
      expect(overview?.status).toBe(200);
      expect(JSON.parse(overview?.text ?? '')).toMatchObject({
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
    await shared.post('posts/:id/restrict', { id: postId, reason: 'spam' });
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
    const ida = (await shared.get('operators')).find(({ name }) => name === 'Ida')!;
    const one = `/console/operators/${ida.operatorId}`;
    await send(admin, '/console/operators', `${one}/roles`, { roles: 'auditor', reason: 'a new task' });
    await send(admin, '/console/operators', `${one}/suspend`, { reason: 'a mistake' });
    expect((await shared.get('operators')).find(({ name }) => name === 'Ida')).toMatchObject({
      state: 'suspended',
      roles: ['auditor'],
    });
    expect((await admin.browser.open(link)).status).toBe(404);
  });

  it('issues a token that the command line takes', async () => {
    const viewer = await enroll('viewer');
    const issued = await send(viewer, '/console/own', '/console/own/tokens', { label: 'desk', days: '1' });
    const operatorToken = /plop_[\w-]+/.exec(issued.text)?.[0] ?? '';
    const client = operatorClient(Object.assign({}, network.config, { operatorToken }));
    expect(await client.get('projections')).toMatchObject({ quarantine: null });
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

describe('the overview', () => {
  it('counts rows that meet the condition alone, and says when they are more than it counts', async () => {
    const viewer = await enroll('viewer');
    const { pool } = network.database();
    const now = Date.now();
    const year = 366 * 24 * 3_600_000;
    await pool.query(
      `INSERT INTO authority.account (actor_id, handle, display_name, email, state, registered_at, revision)
      SELECT 'many-' || n, 'many_' || n, '', n || '@example.org', CASE WHEN n <= 10001 THEN 'active' ELSE 'suspended' END, 1, 0
      FROM generate_series(1, 10500) AS n`,
    );
    await pool.query('ANALYZE authority.account');
    await pool.query(
      `INSERT INTO authority.app_grant (grant_id, app_id, actor_id, scopes, issued_at, revoked_at) VALUES
      ('usable', 'app', 'many-1', '{read,offline_access}', $1, NULL), ('expired', 'app', 'many-1', '{read,offline_access}', $2, NULL),
      ('revoked', 'app', 'many-1', '{read,offline_access}', $1, $1)`,
      [now, now - year],
    );
    const page = await viewer.browser.open(`${url}/console/overview`);
    const shown = Object.fromEntries(
      [...page.text.matchAll(/<dt>([^<]+)<\/dt>\s*<dd>([^<]+)<\/dd>/g)].map(([, name, count]) => [
        name,
        count,
      ]),
    );
    expect(shown).toMatchObject({
      accounts: 'more than 10,000',
      'suspended accounts': '499',
      'usable grants': '1',
    });
  });
});

describe('every page of the console', () => {
  it('warns of an operator whom the limited shared token invited, until one is confirmed', async () => {
    const admin = await enroll('administrator');
    await shared.post('shared-token/limit', { reason: 'a test' });
    const { operatorId } = await shared.post('operators', { name: 'Mallory', roles: ['administrator'] });
    for (const path of ['/console/overview', '/console/own', '/console/operators'])
      expect((await admin.browser.open(url + path)).text).toContain(
        'The limited shared token invited <bdi>Mallory</bdi>',
      );
    await send(admin, '/console/operators', `/console/operators/${operatorId}/confirm`, {});
    expect((await admin.browser.open(`${url}/console/overview`)).text).not.toContain('Mallory');
  });
});

import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { freePort } from '../../src/launch/free-port.js';
import { Browser } from '../../src/programs/demo/browser.js';
import type { BrowserUser } from '../../src/programs/demo/browser.js';
import { Visitor } from '../auth/support/visitor.js';
import type { PageAnswer } from '../auth/support/visitor.js';
import { send } from '../support/api.js';
import { runPlaza } from '../support/command.js';
import { startNetwork } from '../support/network.js';
import type { TestNetwork } from '../support/network.js';
import { startExample } from './support/example.js';
import type { Example } from './support/example.js';
import { startFaultyProxy } from './support/faulty-proxy.js';
import type { FaultyProxy } from './support/faulty-proxy.js';

let proxy: FaultyProxy;
let network: TestNetwork;
let database: Client;
let example: Example;

beforeAll(async () => {
  const port = await freePort();
  proxy = await startFaultyProxy(port);
  network = await startNetwork({ PORT: String(port), BASE_URL: `http://localhost:${proxy.port}` });
  database = new Client(network.env['DATABASE_URL']);
  await database.connect();
  example = await startExample(network);
});

afterAll(async () => {
  await example?.stop();
  await database?.end();
  await network?.stop();
  await proxy?.close();
});

const TOKEN = '/api/auth/oauth2/token';

/** Submits the example's form that goes to `path`. */
function submitForm(visitor: Visitor, page: PageAnswer, path: string, typed: Record<string, string> = {}) {
  const { fields = {} } = page.forms.find(({ action }) => action === path) ?? {};
  const body = new URLSearchParams({ ...fields, ...typed });
  return visitor.open(example.origin + path, { method: 'POST', headers: { origin: example.origin }, body });
}

/** A person with an account, in a browser that is new to the example. */
async function newPerson(
  displayName = 'Ada',
): Promise<{ person: BrowserUser; actorId: string; visitor: Visitor }> {
  const person = { handle: `e_${randomBytes(5).toString('hex')}`, password: 'correct horse battery' };
  const account = ['--handle', person.handle, '--display-name', displayName, '--email', 'ada@example.org'];
  const command = ['account', 'create', ...account, '--password-stdin', '--json'];
  const { stdout } = await runPlaza(command, network.env, person.password);
  const { actorId } = JSON.parse(stdout) as { actorId: string };
  return { person, actorId, visitor: new Visitor(example.origin) };
}

/** Walks from the example's first page to its callback address, without opening that. */
async function authorizeUntilCallback(visitor: Visitor, person: BrowserUser): Promise<URL> {
  const sent = await submitForm(visitor, await visitor.open(example.origin), '/login');
  return new Browser(network.baseUrl).authorize(sent.url, person);
}

async function newSignedInPerson(displayName?: string) {
  const { person, actorId, visitor } = await newPerson(displayName);
  const page = await visitor.open(await authorizeUntilCallback(visitor, person));
  expect(page).toMatchObject({ status: 200, url: `${example.origin}/` });
  return { actorId, visitor, page };
}

/** For each grant of the person to the example: is it live? */
async function liveGrantsOf(actorId: string): Promise<boolean[]> {
  const { rows } = await database.query(
    'SELECT revoked_at IS NULL AS live FROM authority.app_grant WHERE actor_id = $1 AND app_id = $2',
    [actorId, example.clientId],
  );
  return rows.map(({ live }: { live: boolean }) => live);
}

/** Expires the person's access tokens. */
async function expireAccessTokens(actorId: string): Promise<void> {
  const { rowCount } = await database.query(
    `UPDATE authority.oidc_record SET expires_at = now() - interval '1 second'
     WHERE kind = 'AccessToken' AND grant_id IN (SELECT grant_id FROM authority.app_grant WHERE actor_id = $1)`,
    [actorId],
  );
  expect(rowCount).toBeGreaterThan(0);
}

async function postsOf(actorId: string): Promise<string[]> {
  const { body } = await send(network.baseUrl, 'GET', '/api/reconcile');
  const posts = body.posts as { authorActorId: string; text: string }[];
  return posts.filter(({ authorActorId }) => authorActorId === actorId).map(({ text }) => text);
}

describe('sign-in', () => {
  it('shows the escaped name of the person, and gives the browser only an opaque cookie [flow-cookie]', async () => {
    const { visitor, page } = await newSignedInPerson(`<b>Ada</b> & "Co"`);
    expect(page.text).toContain('<h1>&#60;b&#62;Ada&#60;/b&#62; &#38; &#34;Co&#34;</h1>');
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(page.headers.get('cache-control')).toBe('no-store');
    // One for the login, another for the session.
    expect(visitor.cookieValues).toHaveLength(2);
    expect(new Set(visitor.cookieValues).size).toBe(2);
    for (const value of visitor.cookieValues) expect(value).toMatch(/^[\w-]{43}$/);
  });

  it('sets a cookie that scripts cannot read [flow-cookie]', async () => {
    const { origin } = example;
    const sent = await fetch(`${origin}/login`, { method: 'POST', headers: { origin }, redirect: 'manual' });
    expect(sent.headers.getSetCookie()).toEqual([
      expect.stringMatching(/^minimal_client=[\w-]{43}; HttpOnly; SameSite=Lax; /),
    ]);
  });

  it('refuses a callback with an unknown state, and does not exchange its code [flow-transaction, flow-callback]', async () => {
    const { person, visitor } = await newPerson();
    const callback = await authorizeUntilCallback(visitor, person);
    const exchanges = proxy.count(TOKEN);
    for (const state of ['x'.repeat(43), '__proto__', '']) {
      const tampered = new URL(callback);
      tampered.searchParams.set('state', state);
      expect(await visitor.open(tampered)).toMatchObject({ status: 400 });
    }
    expect(proxy.count(TOKEN)).toBe(exchanges);
    expect((await visitor.open(example.origin)).text).toContain('Sign in');
  });

  it('ends an attempt with its first callback, even a faulty one [flow-transaction, flow-callback]', async () => {
    const { person, visitor, actorId } = await newPerson();
    const callback = await authorizeUntilCallback(visitor, person);
    const tampered = new URL(callback);
    tampered.searchParams.set('iss', 'https://elsewhere.example');
    expect(await visitor.open(tampered)).toMatchObject({ status: 400 });
    expect(await visitor.open(callback)).toMatchObject({ status: 400 });
    expect((await visitor.open(example.origin)).text).toContain('Sign in');
    expect(await liveGrantsOf(actorId)).toEqual([true]);
  });

  it('succeeds once in each of two tabs, in any order', async () => {
    const { person, visitor } = await newPerson();
    const stranger = new Visitor(example.origin);
    await authorizeUntilCallback(stranger, person);
    const first = await authorizeUntilCallback(visitor, person);
    const second = await authorizeUntilCallback(visitor, person);
    expect(await stranger.open(first)).toMatchObject({ status: 400 });
    for (const callback of [second, first]) {
      expect(await visitor.open(callback)).toMatchObject({ status: 200, url: `${example.origin}/` });
      expect((await visitor.open(example.origin)).text).toContain('<h1>Ada</h1>');
    }
    for (const callback of [second, first])
      expect(await visitor.open(callback)).toMatchObject({ status: 400 });
    expect((await visitor.open(example.origin)).text).toContain('<h1>Ada</h1>');
  });

  it('refuses a replayed callback, and one in another browser, and keeps the session [flow-transaction, flow-callback]', async () => {
    const { person, visitor } = await newPerson();
    const callback = await authorizeUntilCallback(visitor, person);
    expect(await new Visitor(example.origin).open(callback)).toMatchObject({ status: 400 });
    const exchanges = proxy.count(TOKEN);
    expect(await visitor.open(callback)).toMatchObject({ status: 200 });
    expect(await visitor.open(callback)).toMatchObject({ status: 400 });
    expect(proxy.count(TOKEN)).toBe(exchanges + 1);
    expect((await visitor.open(example.origin)).text).toContain('<h1>Ada</h1>');
  });

  it.each<readonly [string, object]>([
    ['a scope that was not requested', { scopes: ['openid', 'read', 'post:create', 'block:write'] }],
    ['another application', { appId: 'another' }],
  ])('refuses a session of %s [scopes-client, flow-session]', async (_what, members) => {
    const { person, visitor } = await newPerson();
    const callback = await authorizeUntilCallback(visitor, person);
    proxy.alter('/api/session', members);
    expect(await visitor.open(callback)).toMatchObject({ status: 401 });
    expect((await visitor.open(example.origin)).text).toContain('Sign in');
  });

  it('reports that the person denied', async () => {
    const { person, visitor } = await newPerson();
    const callback = await authorizeUntilCallback(visitor, { ...person, decision: 'deny' });
    const page = await visitor.open(callback);
    expect(page.status).toBe(400);
    expect(page.text).toContain('access_denied');
  });

  it('refuses a form from another site', async () => {
    const { visitor, page, actorId } = await newSignedInPerson();
    const [{ fields } = { fields: {} }] = page.forms;
    for (const headers of [{ origin: 'https://elsewhere.example' }, {}]) {
      const body = new URLSearchParams({ ...fields, text: 'Not mine' });
      const answer = await visitor.request(`${example.origin}/posts`, { method: 'POST', headers, body });
      expect(answer.status).toBe(403);
    }
    expect(await postsOf(actorId)).toEqual([]);
  });
});

describe('posting', () => {
  it('makes one post if its form is sent twice', async () => {
    const { visitor, page, actorId } = await newSignedInPerson();
    for (const _ of [1, 2])
      expect(await submitForm(visitor, page, '/posts', { text: 'One\r\nTwo' })).toMatchObject({
        status: 200,
      });
    expect(await postsOf(actorId)).toEqual(['One\nTwo']);
  });

  it('makes one post if the answer is lost and the form is sent again', async () => {
    const { visitor, page, actorId } = await newSignedInPerson();
    proxy.loseAnswer('/api/posts');
    const lost = await submitForm(visitor, page, '/posts', { text: 'Did it arrive?' });
    expect([lost.status, lost.headers.get('retry-after')]).toEqual([503, '5']);
    expect(await submitForm(visitor, page, '/posts', { text: 'Did it arrive?' })).toMatchObject({
      status: 200,
    });
    expect(await postsOf(actorId)).toEqual(['Did it arrive?']);
  });

  it('passes refusals of the network on, with Retry-After', async () => {
    const { visitor, page, actorId } = await newSignedInPerson();
    proxy.refuse('/api/posts', 7);
    const later = await submitForm(visitor, page, '/posts', { text: 'Later' });
    expect([later.status, later.headers.get('retry-after')]).toEqual([503, '7']);
    const empty = await submitForm(visitor, page, '/posts', { text: '' });
    expect(empty.status).toBe(400);
    expect(empty.text).toContain('invalid_text');
    expect(await submitForm(visitor, page, '/posts', { text: 'Later' })).toMatchObject({ status: 200 });
    const other = await submitForm(visitor, page, '/posts', { text: 'Something else' });
    expect(other.status).toBe(409);
    expect(other.text).toContain('intent_conflict');
    expect(await postsOf(actorId)).toEqual(['Later']);
  });
});

describe('an expired access token', () => {
  it('is refreshed once for all concurrent requests, under the same grant', async () => {
    const { visitor, actorId } = await newSignedInPerson();
    for (const round of [1, 2]) {
      await expireAccessTokens(actorId);
      const refreshes = proxy.count(TOKEN);
      const answers = await Promise.all(Array.from({ length: 4 }, () => visitor.open(example.origin)));
      for (const { text } of answers) expect(text).toContain('<h1>Ada</h1>');
      expect([round, proxy.count(TOKEN)]).toEqual([round, refreshes + 1]);
    }
    expect(await liveGrantsOf(actorId)).toEqual([true]);
  });

  it('ends the session if the outcome of the refresh is unknown, and its refresh token is not sent again [refresh-uncertain]', async () => {
    const { visitor, actorId } = await newSignedInPerson();
    await expireAccessTokens(actorId);
    proxy.loseAnswer(TOKEN);
    const refreshes = proxy.count(TOKEN);
    const answers = await Promise.all([visitor.open(example.origin), visitor.open(example.origin)]);
    for (const { status, text } of answers) {
      expect(status).toBe(401);
      expect(text).toContain('sign in again');
    }
    expect((await visitor.open(example.origin)).text).toContain('Sign in');
    expect(proxy.count(TOKEN)).toBe(refreshes + 1);
    expect(await liveGrantsOf(actorId)).toEqual([true]);
  });
});

describe('the end of a session', () => {
  it('by sign-out keeps the grant of the application [refresh-logout]', async () => {
    const { visitor, page, actorId } = await newSignedInPerson();
    expect((await submitForm(visitor, page, '/logout')).text).toContain('Sign in');
    expect(await submitForm(visitor, page, '/posts', { text: 'Too late' })).toMatchObject({ status: 401 });
    expect(await liveGrantsOf(actorId)).toEqual([true]);
  });

  it('by disconnecting ends the grant, and fails until the network confirms that', async () => {
    const { visitor, page, actorId } = await newSignedInPerson();
    proxy.refuse('/api/auth/oauth2/revoke', 3);
    expect(await submitForm(visitor, page, '/disconnect')).toMatchObject({ status: 503 });
    expect(await liveGrantsOf(actorId)).toEqual([true]);
    expect((await submitForm(visitor, page, '/disconnect')).text).toContain('Sign in');
    expect(await liveGrantsOf(actorId)).toEqual([false]);
  });
});

it('logs nothing unforeseen in all these tests', () => {
  expect(example.errorOutput()).toBe('');
});

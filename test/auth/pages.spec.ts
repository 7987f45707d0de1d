import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { get } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { json } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type * as oidc from 'openid-client';
import { passkeyScript } from '../../src/base/pages/passkey-script.js';
import { AuthorizationServer } from '../../src/doors/auth/authorization-server.js';
import { RegisterApplication } from '../../src/commands/application/applications.js';
import { CommandBus } from '@nestjs/cqrs';
import { password, redirectUri, startAuthNetwork } from './support/auth-network.js';
import type { AuthNetwork } from './support/auth-network.js';
import { authorizationRequest, discover } from './support/flow.js';
import { Visitor } from './support/visitor.js';
import type { PageAnswer } from './support/visitor.js';

const NAME = `<script>alert("x")</script>`;

let network: AuthNetwork;
let client: oidc.Configuration;

beforeAll(async () => {
  network = await startAuthNetwork();
  await network.createAccount('ada');
  await network.createAccount('bob');
  const scopes = ['openid', 'offline_access', 'read', 'post:create'];
  const command = new RegisterApplication(
    { name: NAME, redirectUris: [redirectUri], scopes },
    { requestId: 'r' },
  );
  client = await discover(network, await network.app().get(CommandBus).execute(command));
});

afterAll(() => network.stop());

/** A new browser at the sign-in page. */
async function openSignIn(changes?: Readonly<Record<string, string>>): Promise<[Visitor, PageAnswer]> {
  const visitor = new Visitor(network.baseUrl);
  const { url } = await authorizationRequest(client, 'openid read post:create', changes);
  return [visitor, await visitor.open(url)];
}

/** A new browser at the consent page. */
async function openConsent(): Promise<[Visitor, PageAnswer]> {
  const [visitor, page] = await openSignIn();
  return [visitor, await visitor.submit(page, { handle: 'ada', password })];
}

const countGrants = async () =>
  (await network.database().dataSource.query('SELECT count(*)::int AS n FROM authority.app_grant'))[0].n;

describe('the sign-in page', () => {
  it('is HTML with the script of passkeys alone, by its hash, and no other site can frame it', async () => {
    const [, page] = await openSignIn();
    expect(page.status).toBe(200);
    const policy = page.headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).toContain(`form-action 'self' ${new URL(redirectUri).origin}`);
    expect(policy).not.toContain('unsafe');
    expect(page.headers.get('cache-control')).toBe('no-store');
    expect(page.headers.get('referrer-policy')).toBe('same-origin');
    const style = /<style>(.*)<\/style>/s.exec(page.text)?.[1] ?? '';
    expect(policy).toContain(`style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`);
    const [, script = '', ...more] = page.text.split(/<script[^>]*>|<\/script>/).slice(0, -1);
    expect([script, more, page.text.match(/<script/g)]).toEqual([passkeyScript, [], ['<script']]);
    expect(policy).toContain(`script-src 'sha256-${createHash('sha256').update(script).digest('base64')}';`);
    expect(page.text).toContain('&lt;script&gt;alert(&quot;x&quot;)&lt;/script&gt;');
  });

  it('gives the same answer for every kind of wrong credentials', async () => {
    const answers: PageAnswer[] = [];
    for (const typed of [
      { handle: 'ada', password: 'wrong password' },
      { handle: 'nobody', password },
      { handle: 'ada', password: '' },
      { handle: '', password },
    ]) {
      const [visitor, page] = await openSignIn();
      answers.push(await visitor.submit(page, typed));
    }
    const problems = answers.map(({ text }) => /role="alert">([^<]*)</.exec(text)?.[1]);
    expect(problems[0]).toBeTruthy();
    expect(new Set(problems).size).toBe(1);
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([400]));
  });

  it('accepts another attempt, and shows the typed handle, escaped', async () => {
    const [visitor, page] = await openSignIn();
    const again = await visitor.submit(page, { handle: '"><b>', password: 'wrong' });
    expect(again.text).toContain('value="&quot;&gt;&lt;b&gt;"');
    const consent = await visitor.submit(again, { handle: ' @ADA ', password });
    expect(consent.text).toContain('name="decision"');
  });

  it('is prefilled with the login_hint of the application', async () => {
    const [, page] = await openSignIn({ login_hint: '@ADA' });
    expect(page.text).toContain('value="ada"');
    const [, nobody] = await openSignIn({ login_hint: '"><script>' });
    expect(nobody.text).toContain('value=""');
  });

  it('is skipped for a signed-in person, unless the application asks for sign-in', async () => {
    const [visitor] = await openConsent();
    const open = async (prompt: string) =>
      visitor.open((await authorizationRequest(client, 'read', { prompt })).url);
    expect((await open('consent')).text).toContain('name="decision"');
    expect((await open('login consent')).text).toContain('name="password"');
  });
});

describe('the consent page', () => {
  it('names the application, its host, each scope in words, and the signed-in person', async () => {
    const [, page] = await openConsent();
    expect(page.text).toContain('&lt;script&gt;alert');
    expect(page.text).toContain('pebble.example');
    expect(page.text).toContain('The ada');
    expect(page.text).toContain('@ada');
    expect(page.text).toContain('Write posts and replies in your name');
    expect(page.text).toContain('your display name, handle, website and e-mail address');
    expect(page.text).not.toContain('Stay connected');
  });

  it('makes one grant, however often its form is sent', async () => {
    const [visitor, page] = await openConsent();
    const before = await countGrants();
    const answers = await Promise.all([1, 2, 3].map(() => visitor.submit(page, { decision: 'allow' })));
    expect(answers.some(({ url }) => url.startsWith(redirectUri))).toBe(true);
    expect(await countGrants()).toBe(before + 1);
  });

  it('links to the account page, where the consent can be withdrawn', async () => {
    const [, page] = await openConsent();
    expect(page.text).toContain('href="/api/auth/account"');
  });

  it('lets another person take over: it signs out, and repeats the request', async () => {
    const visitor = new Visitor(network.baseUrl);
    const { url, state } = await authorizationRequest(client, 'openid read', { ui_locales: 'de' });
    const signIn = await visitor.open(url);
    const page = await visitor.submit(signIn, { handle: 'ada', password });
    expect(page.forms.map(({ action }) => action.replace(/.*\//, ''))).toEqual(['consent', 'switch']);
    const again = await visitor.submitTo(page, '/switch');
    expect(again.text).toContain('name="password"');
    expect((await visitor.open(`${network.issuer}/account`)).text).toContain('name="password"');
    const { provider } = network.app().get(AuthorizationServer);
    const asked = await provider.Interaction.find(again.url.replace(/.*\//, ''));
    expect(asked).toMatchObject({ params: Object.fromEntries(url.searchParams) });
    const consent = await visitor.submit(again, { handle: 'bob', password });
    expect(consent.text).toContain('@bob');
    const back = new URL((await visitor.submit(consent, { decision: 'allow' })).url);
    expect([back.searchParams.get('state'), back.searchParams.has('code')]).toEqual([state, true]);
    // The earlier page is invalid.
    expect((await visitor.submit(page, { decision: 'allow' })).status).toBe(400);
  });

  it('makes no grant once the person is signed out', async () => {
    const [visitor, page] = await openConsent();
    const before = await countGrants();
    const account = await visitor.open(`${network.issuer}/account`);
    await visitor.submitTo(account, '/sign-out');
    expect((await visitor.submit(page, { decision: 'allow' })).status).toBe(400);
    expect(await countGrants()).toBe(before);
  });

  it('makes no grant for a person who signed in since', async () => {
    const [visitor, page] = await openConsent();
    const before = await countGrants();
    const account = await visitor.open(`${network.issuer}/account`);
    const signIn = await visitor.submitTo(account, '/sign-out');
    await visitor.submit(signIn, { handle: 'bob', password });
    expect((await visitor.submit(page, { decision: 'allow' })).status).toBe(400);
    expect(await countGrants()).toBe(before);
  });

  it('makes no grant in a browser that has the interaction, but not the session [service-browser-cookie, credentials-browser]', async () => {
    const [visitor, page] = await openConsent();
    const before = await countGrants();
    const cookies = visitor.cookiesFor(page.url).filter((pair) => !pair.startsWith('plaza_session'));
    const [form] = page.forms;
    const refused = await fetch(new URL(form?.action ?? '', network.baseUrl), {
      method: 'POST',
      headers: { origin: network.baseUrl, cookie: cookies.join('; ') },
      body: new URLSearchParams({ ...form?.fields, decision: 'allow' }),
    });
    expect(refused.status).toBe(403);
    expect(await refused.json()).toEqual({ error: 'login_required', message: expect.any(String) });
    expect(await countGrants()).toBe(before);
  });

  it('makes no grant without a decision', async () => {
    const [visitor, page] = await openConsent();
    const before = await countGrants();
    expect((await visitor.submit(page, {})).status).toBe(400);
    expect(await countGrants()).toBe(before);
  });
});

describe('a form', () => {
  it.each([
    ['without Origin', () => '', {}, 'origin_required'],
    ['from another site', () => 'https://evil.example', {}, 'origin_mismatch'],
    [
      'from a site that begins like the network',
      (own: string) => `${own}.evil.example`,
      {},
      'origin_mismatch',
    ],
    ['from a frame without an origin', () => 'null', {}, 'origin_mismatch'],
    ['without its hidden field', (own: string) => own, { form: '' }, 'invalid_request'],
    ['with a forged hidden field', (own: string) => own, { form: 'A'.repeat(43) }, 'invalid_request'],
  ])('%s is refused [credentials-browser, origin-codes]', async (_what, originFor, fields, code) => {
    const [visitor, page] = await openConsent();
    const before = await countGrants();
    const origin = originFor(network.baseUrl);
    const refused = await visitor.submit(page, { decision: 'allow', ...fields }, { origin });
    expect(refused.status).toBe(403);
    expect(refused.text).toContain(code);
    expect(await countGrants()).toBe(before);
  });

  it('is refused in another browser than the one that opened it', async () => {
    const [, page] = await openConsent();
    const thief = new Visitor(network.baseUrl);
    const refused = await thief.submit(page, { decision: 'allow' });
    expect(refused.status).toBe(400);
    expect(refused.text).toContain('invalid_request');
  });

  it('is answered with an error object to a program', async () => {
    const [, page] = await openSignIn();
    const [form] = page.forms;
    const response = await fetch(new URL(form?.action ?? '', network.baseUrl), {
      method: 'POST',
      headers: { origin: network.baseUrl },
      body: new URLSearchParams(form?.fields),
    });
    expect(response.status).toBe(400);
    expect(await response.json()).toEqual({ error: 'invalid_request', message: expect.any(String) });
  });
});

describe('an expired sign-in', () => {
  it('links to the account page, since its application is unknown by then', async () => {
    const page = await new Visitor(network.baseUrl).open(`${network.issuer}/interaction/over`);
    expect([page.status, page.text.includes('This sign-in has expired')]).toEqual([400, true]);
    expect(page.text).toContain('<a href="/api/auth/account">');
  });
});

describe('a request that the server refuses before the page', () => {
  const post = async (init: { headers?: Record<string, string>; body: string | URLSearchParams }) => {
    const [, page] = await openSignIn();
    const url = new URL(page.forms[0]?.action ?? '', network.baseUrl);
    const headers = { origin: network.baseUrl, ...init.headers };
    const response = await fetch(url, { method: 'POST', body: init.body, headers });
    return { status: response.status, body: await response.json() };
  };

  it.each([
    ['JSON', 415, { headers: { 'content-type': 'application/json' }, body: '{}' }],
    ['a form that is too long', 413, { body: new URLSearchParams({ handle: 'x'.repeat(64 * 1024) }) }],
  ])('is explained: %s', async (_what, status, init) => {
    const body = { error: 'invalid_request', message: expect.any(String) };
    expect(await post(init)).toEqual({ status, body });
  });

  it('is explained: a foreign host', async () => {
    const headers = { host: 'evil.example' };
    const path = '/api/auth/interaction/x';
    const request = get({ port: network.config.port, host: '127.0.0.1', path, headers });
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    expect(response.statusCode).toBe(403);
    expect(await json(response)).toEqual({ error: 'origin_mismatch', message: expect.any(String) });
  });
});

import { once } from 'node:events';
import { get } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import * as oidc from 'openid-client';
import { password, redirectUri, startAuthNetwork } from './support/auth-network.js';
import type { AuthNetwork } from './support/auth-network.js';
import { ConnectingApplication } from './support/connecting-application.js';
import { authorizationRequest, errorOf, exchange, isLive } from './support/flow.js';
import { Visitor } from './support/visitor.js';

let application: ConnectingApplication;
let network: AuthNetwork;
let client: oidc.Configuration;

beforeAll(async () => {
  application = await ConnectingApplication.startOn(startAuthNetwork({ hasOwnPostgres: true }), 'ada');
  ({ network, client } = application);
});

afterAll(() => network?.stop());

const jwks = async () => (await fetch(`${network.issuer}/jwks`)).text();

describe('another server on the same stores', () => {
  it('knows sessions, subjects, keys, tokens and applications', async () => {
    const visitor = new Visitor(network.baseUrl);
    const first = await authorizationRequest(client, 'openid offline_access read');
    const signIn = await visitor.open(first.url);
    const consent = await visitor.submit(signIn, { handle: 'ada', password });
    const allowed = await visitor.submit(consent, { decision: 'allow' });
    const before = await exchange(client, new URL(allowed.url), first);
    const keys = await jwks();

    await network.restartServer();

    expect(await jwks()).toBe(keys);
    expect(await isLive(client, before.access_token)).toBe(true);
    expect(await errorOf(oidc.refreshTokenGrant(client, before.refresh_token ?? ''))).toBeUndefined();
    const second = await authorizationRequest(client, 'openid');
    const page = await visitor.open(second.url);
    expect(page.text).toContain('name="decision"');
    const again = await visitor.submit(page, { decision: 'allow' });
    const after = await exchange(client, new URL(again.url), second);
    expect(after.claims()?.sub).toBe(before.claims()?.sub);
  });
});

describe('without the authority store', () => {
  it('every answer has Retry-After, and requests succeed once it is back', async () => {
    const { refreshToken } = await application.connect();
    const visitor = new Visitor(network.baseUrl);
    const attempt = await authorizationRequest(client, 'openid');
    const signIn = await visitor.open(attempt.url);
    await network.postgres.stop();

    const parameters = { grant_type: 'refresh_token', refresh_token: refreshToken };
    const refreshed = await application.post('token', parameters);
    expect(refreshed.status).toBe(503);
    expect(refreshed.headers['retry-after']).toMatch(/^[1-9][0-9]*$/);
    expect(refreshed.body).toEqual({
      error: 'temporarily_unavailable',
      error_description: expect.any(String),
    });
    const looks = [await visitor.open(attempt.url), await visitor.open(signIn.url)];
    for (const look of looks) expect(look.text).toContain('Nothing was changed.');
    for (const page of [...looks, await visitor.submit(signIn, { handle: 'ada', password })]) {
      expect(page.status).toBe(503);
      expect(page.headers.get('retry-after')).toMatch(/^[1-9][0-9]*$/);
      expect(page.text).toContain('auth_unavailable');
    }

    await network.postgres.start();
    const consent = await visitor.submit(signIn, { handle: 'ada', password });
    const allowed = await visitor.submit(consent, { decision: 'allow' });
    expect(await errorOf(exchange(client, new URL(allowed.url), attempt))).toBeUndefined();
    expect(await errorOf(oidc.refreshTokenGrant(client, refreshToken))).toBeUndefined();
  });
});

describe('without the log', () => {
  it('consent is refused, and the same form succeeds once it is back', async () => {
    const visitor = new Visitor(network.baseUrl);
    const attempt = await authorizationRequest(client, 'openid read');
    const signIn = await visitor.open(attempt.url);
    const consent = await visitor.submit(signIn, { handle: 'ada', password });
    const count = async () =>
      (await network.database().dataSource.query('SELECT count(*)::int AS n FROM authority.app_grant'))[0].n;
    const before = await count();
    await network.eventStore.stop();

    const refused = await visitor.submit(consent, { decision: 'allow' });
    expect(refused.status).toBe(503);
    expect(refused.headers.get('retry-after')).toMatch(/^[1-9][0-9]*$/);
    expect(await count()).toBe(before);

    await network.eventStore.start();
    const allowed = await visitor.submit(consent, { decision: 'allow' });
    expect(allowed.url.startsWith(redirectUri)).toBe(true);
    expect(await errorOf(exchange(client, new URL(allowed.url), attempt))).toBeUndefined();
    expect(await count()).toBe(before + 1);
  });
});

describe('with a frozen log', () => {
  it('the page does not claim that nothing was changed', async () => {
    const { accessToken } = await application.connect();
    const visitor = new Visitor(network.baseUrl);
    const signIn = await visitor.open(`${network.issuer}/account`);
    const page = await visitor.submit(signIn, { handle: 'ada', password });
    network.eventStore.freeze();
    const uncertain = await visitor
      .submit(page, { application: application.credentials.clientId })
      .finally(() => network.eventStore.thaw());
    expect(uncertain.status).toBe(503);
    expect(uncertain.text).toContain('It is not known whether this was done.');
    expect(uncertain.text).not.toContain('Nothing was changed');
    expect((await visitor.submit(page, { application: application.credentials.clientId })).status).toBe(200);
    expect(await isLive(client, accessToken)).toBe(false);
  });
});

describe('a network behind TLS', () => {
  /** Sends a request like the TLS proxy, or like a client that bypasses it with forged headers. */
  const ask = async (path: string, headers: Readonly<Record<string, string>> = {}) => {
    const host = { host: 'plaza.example', ...headers };
    const request = get({ port: network.config.port, host: '127.0.0.1', path, headers: host });
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    return { response, body: await text(response) };
  };

  it('announces its configured addresses, and sets secure cookies', async () => {
    const attempt = await authorizationRequest(client, 'openid');
    await network.restartServer({ BASE_URL: 'https://plaza.example' });
    const lies = { 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'http' };
    const { body } = await ask('/api/auth/.well-known/openid-configuration', lies);
    const urls = Object.entries(JSON.parse(body) as Record<string, string>)
      .filter(([name]) => name.endsWith('_endpoint') || name === 'jwks_uri' || name === 'issuer')
      .map(([, url]) => url);
    expect(urls).toHaveLength(8);
    expect(urls.filter((url) => !url.startsWith('https://plaza.example/api/auth'))).toEqual([]);

    const { response } = await ask(`${attempt.url.pathname}${attempt.url.search}`, lies);
    expect(response.headers.location).toMatch(/^https:\/\/plaza\.example\/api\/auth\/interaction\//);
    const cookies = response.headers['set-cookie'] ?? [];
    expect(cookies.length).toBeGreaterThan(0);
    for (const cookie of cookies) expect(cookie).toMatch(/; secure; httponly/i);
    for (const cookie of cookies) expect(cookie).toMatch(/samesite=lax/i);
  });
});

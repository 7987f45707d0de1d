import { randomUUID } from 'node:crypto';
import { CommandBus } from '@nestjs/cqrs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type * as oidc from 'openid-client';
import { RegisterApplication } from '../../src/commands/application/applications.js';
import type { ClientCredentials } from '../../src/commands/application/applications.js';
import { Browser } from '../../src/programs/demo/browser.js';
import { credentialHash } from '../../src/base/store/authority/credential-hash.js';
import { password, redirectUri, startAuthNetwork } from './support/auth-network.js';
import type { AuthNetwork } from './support/auth-network.js';
import { authorizationRequest, connect, discover, isLive } from './support/flow.js';
import type { Connected } from './support/flow.js';
import { send } from './support/raw.js';
import { Visitor } from './support/visitor.js';

const signedOutUri = 'https://pebble.example/signed-out';

let network: AuthNetwork;
let application: ClientCredentials;
let client: oidc.Configuration;
let connected: Connected;

beforeAll(async () => {
  network = await startAuthNetwork();
  const registration = {
    name: 'Pebble',
    redirectUris: [redirectUri],
    postLogoutRedirectUris: [signedOutUri],
    scopes: ['openid', 'offline_access', 'read'],
  };
  application = await network
    .app()
    .get(CommandBus)
    .execute(new RegisterApplication(registration, { requestId: randomUUID() }));
  client = await discover(network, application);
  await network.createAccount('ada');
  connected = await connect(client, new Browser(network.baseUrl), 'ada', 'openid read');
});

afterAll(() => network.stop());

async function signedIn(): Promise<Visitor> {
  const visitor = new Visitor(network.baseUrl);
  const { url } = await authorizationRequest(client, 'openid');
  await visitor.submit(await visitor.open(url), { handle: 'ada', password });
  return visitor;
}

const endSession = (parameters: Readonly<Record<string, string>>) =>
  `${network.issuer}/oauth2/end-session?${new URLSearchParams(parameters).toString()}`;

const isSignedIn = async (visitor: Visitor) => {
  const { url } = await authorizationRequest(client, 'openid');
  return (await visitor.open(url)).text.includes('name="decision"');
};

describe('signing out at the request of an application', () => {
  it('asks the person, ends the session, and returns to the registered address with its state', async () => {
    const visitor = await signedIn();
    const parameters = {
      post_logout_redirect_uri: signedOutUri,
      state: 's&t=1',
      id_token_hint: connected.idToken,
    };
    const page = await visitor.open(endSession(parameters));
    expect(await isSignedIn(visitor)).toBe(true);
    const done = await visitor.submit(await visitor.open(endSession(parameters)), { logout: 'yes' });
    expect(page.text).toContain('Sign out');
    // Browsers apply form-action to redirects after the form, too.
    expect(page.headers.get('content-security-policy')).toContain(
      "form-action 'self' https://pebble.example;",
    );
    expect(done.url).toBe(`${signedOutUri}?state=s%26t%3D1`);
    expect(await isSignedIn(visitor)).toBe(false);
  });

  it('does not tell the application that the person stays signed in', async () => {
    const visitor = await signedIn();
    const asked = { post_logout_redirect_uri: signedOutUri, state: 'secret-state' };
    for (const parameters of [{ ...asked, client_id: application.clientId }, {}]) {
      const page = await visitor.open(endSession(parameters));
      const stays = await visitor.submit(page, {});
      expect([stays.status, stays.url]).toEqual([200, `${network.issuer}/oauth2/end-session/confirm`]);
      expect(stays.text).toContain('You are still signed in');
      expect(stays.text).toContain('href="/api/auth/account"');
      expect(stays.text.includes('href="https://pebble.example"')).toBe('client_id' in parameters);
      expect(stays.text).not.toMatch(/secret-state|signed-out/);
      expect(await isSignedIn(visitor)).toBe(true);
    }
  });

  it('keeps the grants [refresh-logout]', async () => {
    const visitor = await signedIn();
    await visitor.submit(await visitor.open(endSession({})), { logout: 'yes' });
    expect(await isLive(client, connected.accessToken)).toBe(true);
  });

  it('without a session redirects at once, and stores nothing', async () => {
    const sessions = () =>
      network.database().dataSource.query("SELECT FROM authority.oidc_record WHERE kind = 'Session'");
    const before = await sessions();
    const { client_id, ...withoutClient } = {
      client_id: application.clientId,
      post_logout_redirect_uri: signedOutUri,
      state: 's&t=1',
    };
    for (const [parameters, location] of [
      [{ ...withoutClient, client_id }, `${signedOutUri}?state=s%26t%3D1`],
      [withoutClient, '/api/auth/oauth2/end-session/success'],
      [{}, '/api/auth/oauth2/end-session/success'],
    ] as const) {
      const visitor = new Visitor(network.baseUrl);
      const { status, headers } = await visitor.request(endSession(parameters));
      expect([status, headers.get('location'), headers.getSetCookie()]).toEqual([303, location, []]);
    }
    expect(await sessions()).toHaveLength(before.length);
  });
});

describe('a session', () => {
  const daysLeft = async (visitor: Visitor) => {
    const [row] = await network.database().dataSource.query<{ days: number }[]>(
      `SELECT extract(epoch FROM expires_at - now())::float / 86400 AS days FROM authority.oidc_record
         WHERE kind = 'Session' AND key_hash = $1`,
      [credentialHash(visitor.cookie('plaza_session').value)],
    );
    return row?.days;
  };

  it('lasts two weeks from its last use', async () => {
    expect(await daysLeft(await signedIn())).toBeCloseTo(14, 2);
  });
});

describe('signing out refuses', () => {
  it.each([
    ['an unregistered address', { post_logout_redirect_uri: 'https://evil.example/' }],
    ['an extended registered address', { post_logout_redirect_uri: `${signedOutUri}/more` }],
    ['the redirect_uri of the code flow', { post_logout_redirect_uri: redirectUri }],
  ])('a redirect to %s', async (_what, parameters) => {
    const visitor = await signedIn();
    const own = { client_id: application.clientId };
    const named = await visitor.open(endSession({ ...parameters, ...own }));
    expect([named.status, named.headers.get('location')]).toEqual([400, null]);
    // Without a client_id the address is ignored.
    const done = await visitor.submit(await visitor.open(endSession(parameters)), { logout: 'yes' });
    expect(done.url).toMatch(new RegExp(`^${network.issuer}/oauth2/end-session/success`));
  });

  it.each([
    ['that was tampered with', () => `${connected.idToken.slice(0, -8)}AAAAAAAA`, 'invalid_signature'],
    ['that is malformed', () => 'nonsense', 'invalid_request'],
  ])('an ID token %s', async (_what, hint, error) => {
    const url = new URL(endSession({ id_token_hint: hint(), post_logout_redirect_uri: signedOutUri }));
    const { status, body } = await send(network, { path: `${url.pathname}${url.search}` });
    expect([status, body]).toEqual([400, { error, error_description: expect.any(String) }]);
  });

  it('an ID token of another application than the requesting one', async () => {
    const other = await network.registerApplication();
    const url = new URL(endSession({ id_token_hint: connected.idToken, client_id: other.clientId }));
    const { status, body } = await send(network, { path: `${url.pathname}${url.search}` });
    expect([status, body.error]).toEqual([400, 'invalid_request']);
  });

  it.each(['state=a&state=b', 'x=1&%78=2', 'state=%zz', 'state=%FF'])('the query %j', async (query) => {
    const path = `${new URL(network.issuer).pathname}/oauth2/end-session?${query}`;
    const { status, body } = await send(network, { path });
    expect([status, body]).toEqual([
      400,
      { error: 'invalid_request', error_description: expect.any(String) },
    ]);
  });

  it.each([
    ['from another site', { origin: 'https://evil.example' }, 'origin_mismatch'],
    ['without Origin', { origin: '' }, 'origin_required'],
  ])('a form %s', async (_what, changes, error) => {
    const visitor = await signedIn();
    const page = await visitor.open(endSession({}));
    const refused = await visitor.submit(page, { logout: 'yes' }, changes);
    expect(refused.status).toBe(403);
    expect(refused.text).toContain(error);
    expect(await isSignedIn(visitor)).toBe(true);
  });

  it('a form with a forged token', async () => {
    const visitor = await signedIn();
    await visitor.open(endSession({}));
    const refused = await visitor.request(`${network.issuer}/oauth2/end-session/confirm`, {
      method: 'POST',
      headers: { origin: network.baseUrl },
      body: new URLSearchParams({ xsrf: 'made-up', logout: 'yes' }),
    });
    expect(refused.status).toBe(400);
    expect(await isSignedIn(visitor)).toBe(true);
  });
});

describe('signing out without an application', () => {
  it('is refused with a state of U+0000', async () => {
    const visitor = await signedIn();
    const page = await visitor.open(`${network.issuer}/oauth2/end-session?state=%00`);
    expect(page.status).toBe(400);
    expect(page.text).toContain('invalid_request');
  });

  it('and without a session shows a page that no other site can frame', async () => {
    const visitor = new Visitor(network.baseUrl);
    const page = await visitor.open(`${network.issuer}/oauth2/end-session`);
    expect(page.headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
    expect(page.text).toContain('Done');
  });

  it('ends the session and keeps applications connected', async () => {
    const visitor = await signedIn();
    const { url: asking } = await authorizationRequest(client, 'openid read');
    await visitor.submit(await visitor.open(asking), { decision: 'allow' });
    const [{ n: live }] = await network
      .database()
      .dataSource.query('SELECT count(*)::int AS n FROM authority.app_grant WHERE revoked_at IS NULL');
    const question = await visitor.open(`${network.issuer}/oauth2/end-session`);
    expect(question.text).toContain('Sign out of Plaza?');
    expect(question.text).toContain('href="/api/auth/account"');
    const elsewhere = await visitor.submit(question, { logout: 'yes' }, { origin: 'https://evil.example' });
    expect(elsewhere.status).toBe(403);
    const done = await visitor.submit(question, { logout: 'yes' });
    expect(done.text).toContain('Done');
    expect(done.text).toContain('href="/api/auth/account"');
    const { url } = await authorizationRequest(client, 'read');
    expect((await visitor.open(url)).text).toContain('name="password"');
    const rows = await network
      .database()
      .dataSource.query('SELECT count(*)::int AS n FROM authority.app_grant WHERE revoked_at IS NULL');
    expect(rows).toEqual([{ n: live }]);
  });
});

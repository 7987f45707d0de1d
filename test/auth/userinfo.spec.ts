import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import * as oidc from 'openid-client';
import type { ClientCredentials } from '../../src/commands/application/applications.js';
import { Browser } from '../../src/programs/demo/browser.js';
import { startAuthNetwork } from './support/auth-network.js';
import type { AuthNetwork } from './support/auth-network.js';
import { connect, discover } from './support/flow.js';
import type { Connected } from './support/flow.js';
import { formContentType, send } from './support/raw.js';

let network: AuthNetwork;
let application: ClientCredentials;
let client: oidc.Configuration;
let actorId: string;
let connected: Connected;

beforeAll(async () => {
  network = await startAuthNetwork();
  application = await network.registerApplication();
  actorId = await network.createAccount('ada');
  client = await discover(network, application);
  connected = await connect(client, new Browser(network.baseUrl), 'ada');
});

afterAll(() => network.stop());

const path = '/api/auth/oauth2/userinfo';
const bearer = (token: string) => ['authorization', `Bearer ${token}`] as const;
const ask = (...headers: (readonly [string, string])[]) => send(network, { path, headers });

describe('userinfo', () => {
  it('returns the published claims that have a value [identity-claims, userinfo-answer, header-revision, userinfo-pairwise]', async () => {
    const { status, headers, body } = await ask(bearer(connected.accessToken));
    expect(status).toBe(200);
    expect(headers['cache-control']).toBe('no-store');
    expect(body).toEqual({
      sub: connected.subject,
      name: 'The ada',
      preferred_username: 'ada',
      email: 'ada@example.org',
      email_verified: false,
      updated_at: expect.any(Number),
    });
    expect(connected.subject).not.toBe(actorId);
  });

  it('accepts the network’s own Origin', async () => {
    expect((await ask(bearer(connected.accessToken), ['origin', network.baseUrl])).status).toBe(200);
  });

  it('accepts any number of spaces before the token', async () => {
    expect((await ask(['authorization', `Bearer   ${connected.accessToken}`])).status).toBe(200);
  });

  it('ignores the query', async () => {
    const { accessToken } = connected;
    const { body } = await send(network, {
      path: `${path}?scope=read&sub=x`,
      headers: [bearer(accessToken)],
    });
    expect(body.name).toBe('The ada');
  });
});

describe('userinfo refuses', () => {
  it('a missing token with 401 and a challenge without an error code [summary-userinfo]', async () => {
    const { status, headers, body } = await ask();
    expect(status).toBe(401);
    expect(body).toEqual({ error: 'authentication_required', error_description: expect.any(String) });
    expect(headers['www-authenticate']).toBe('Bearer realm="plaza"');
  });

  it.each([
    ['an unknown token', 'Bearer nonsense'],
    ['a refresh token', 'REFRESH'],
    ['an ID token', 'ID'],
    ['another scheme', 'Basic eDp4'],
    ['two tokens', 'Bearer x y'],
    ['no token', 'Bearer'],
  ])('%s with 401 [service-bearer, userinfo-refusals]', async (_what, authorization) => {
    const value = authorization
      .replace('REFRESH', `Bearer ${connected.refreshToken}`)
      .replace('ID', `Bearer ${connected.idToken}`);
    const { status, headers, body } = await ask(['authorization', value]);
    expect(status).toBe(401);
    expect(body).toEqual({ error: 'invalid_token', error_description: expect.any(String) });
    expect(headers['www-authenticate']).toMatch(/^Bearer realm="plaza", error="invalid_token"/);
  });

  it('a token in the address with 400 [userinfo-transport]', async () => {
    const { accessToken } = connected;
    for (const headers of [[], [bearer(accessToken)]]) {
      const { status, body } = await send(network, { path: `${path}?access_token=${accessToken}`, headers });
      expect([status, body.error]).toEqual([400, 'invalid_request']);
    }
  });

  it('a token in a form, and every POST, with 405 [userinfo-transport]', async () => {
    const body = `access_token=${connected.accessToken}`;
    for (const headers of [[formContentType], [formContentType, bearer(connected.accessToken)]]) {
      const answer = await send(network, { method: 'POST', path, headers, body });
      expect([answer.status, answer.body.error]).toEqual([405, 'invalid_request']);
      expect(answer.headers.allow).toBe('GET');
    }
  });

  it('HEAD with 405', async () => {
    const headers = [bearer(connected.accessToken)];
    const answer = await send(network, { method: 'HEAD', path, headers });
    expect([answer.status, answer.headers.allow]).toEqual([405, 'GET']);
  });

  it('two Authorization headers with 400', async () => {
    const { accessToken } = connected;
    const { status, body } = await ask(bearer(accessToken), bearer(accessToken));
    expect([status, body.error]).toEqual([400, 'invalid_request']);
  });

  it('a foreign Origin with 403', async () => {
    const { status, body } = await ask(bearer(connected.accessToken), ['origin', 'https://evil.example']);
    expect([status, body.error]).toEqual([403, 'origin_mismatch']);
  });

  it('a token without the scope openid with 403 [userinfo-scope, summary-userinfo, userinfo-refusals]', async () => {
    const { accessToken } = await connect(client, new Browser(network.baseUrl), 'ada', 'read');
    const { status, headers, body } = await ask(bearer(accessToken));
    expect(status).toBe(403);
    expect(body).toEqual({ error: 'capability_required', error_description: expect.any(String) });
    expect(headers['www-authenticate']).toMatch(/^Bearer realm="plaza", /);
  });

  it.each([
    ['a person', 'account', 'actor_id'],
    ['an application', 'application', 'app_id'],
  ])('a token of %s that is suspended with 403, from the next request on', async (_what, table, column) => {
    const { accessToken } = await connect(client, new Browser(network.baseUrl), 'ada');
    const id = table === 'account' ? actorId : application.clientId;
    const become = (state: string) =>
      network
        .database()
        .dataSource.query(`UPDATE authority.${table} SET state = $1 WHERE ${column} = $2`, [state, id]);
    await become('suspended');
    const refused = await ask(bearer(accessToken));
    await become('active');
    expect(refused.status).toBe(403);
    expect(refused.body).toEqual({
      error: 'social_authority_required',
      error_description: expect.any(String),
    });
    expect((await ask(bearer(accessToken))).status).toBe(200);
    await oidc.tokenRevocation(client, accessToken);
    await become('suspended');
    const revoked = await ask(bearer(accessToken));
    await become('active');
    expect(revoked.status).toBe(401);
  });
});

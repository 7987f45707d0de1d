import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import * as oidc from 'openid-client';
import { streams } from '../../src/log/streams.js';
import type { ClientCredentials } from '../../src/commands/application/applications.js';
import { Browser } from '../../src/programs/demo/browser.js';
import { password, startAuthNetwork } from './support/auth-network.js';
import type { AuthNetwork } from './support/auth-network.js';
import { authorizationRequest, connect, discover, errorOf, exchange, isLive } from './support/flow.js';

let network: AuthNetwork;
let application: ClientCredentials;
let client: oidc.Configuration;
let actorId: string;

beforeAll(async () => {
  network = await startAuthNetwork();
  application = await network.registerApplication();
  actorId = await network.createAccount('ada');
  client = await discover(network, application);
});

afterAll(() => network.stop());

/** The row of the token's grant. */
async function grantOf(accessToken: string) {
  const [row] = await network.database().dataSource.query(
    `SELECT app_grant.* FROM authority.oidc_record JOIN authority.app_grant USING (grant_id)
     WHERE kind = 'AccessToken' AND key_hash = sha256($1::bytea)`,
    [Buffer.from(accessToken)],
  );
  return row;
}

describe('the code flow', () => {
  it('connects an unmodified client with exactly the requested scopes [flow-redirect, flow-discover]', async () => {
    const scope = 'openid offline_access read post:create';
    const connected = await connect(client, new Browser(network.baseUrl), 'ada', scope);
    expect(new Set(connected.scope.split(' '))).toEqual(new Set(scope.split(' ')));
    expect(connected.refreshToken).not.toBe('');
    expect(await oidc.fetchUserInfo(client, connected.accessToken, connected.subject)).toEqual({
      sub: connected.subject,
      name: 'The ada',
      preferred_username: 'ada',
      email: 'ada@example.org',
      email_verified: false,
      updated_at: expect.any(Number),
    });
  });

  it('puts no personal claims into the ID token', async () => {
    const { idToken } = await connect(client, new Browser(network.baseUrl), 'ada');
    const claims = JSON.parse(Buffer.from(idToken.split('.')[1] ?? '', 'base64url').toString()) as object;
    expect(Object.keys(claims).sort()).toEqual(['aud', 'exp', 'iat', 'iss', 'nonce', 'sub']);
  });

  it('records the consent in the log and in the authority store', async () => {
    const { accessToken } = await connect(client, new Browser(network.baseUrl), 'ada', 'read');
    const row = await grantOf(accessToken);
    expect(row).toMatchObject({
      app_id: application.clientId,
      actor_id: actorId,
      scopes: ['read'],
      revoked_at: null,
    });
    const recorded = await network.log().read(streams.grant(row.grant_id));
    expect(recorded.map(({ event }) => event)).toEqual([
      {
        type: 'grant.issued',
        data: {
          grantId: row.grant_id,
          appId: application.clientId,
          actorId,
          scopes: ['read'],
          at: expect.any(Number),
        },
      },
    ]);
  });

  it('asks for consent each time, and makes a grant of each consent [service-bearer]', async () => {
    const browser = new Browser(network.baseUrl);
    const first = await connect(client, browser, 'ada', 'openid read');
    const second = await connect(client, browser, 'ada', 'openid post:create');
    const [one, two] = [await grantOf(first.accessToken), await grantOf(second.accessToken)];
    expect(one.grant_id).not.toBe(two.grant_id);
    expect([one.scopes, two.scopes]).toEqual([
      ['openid', 'read'],
      ['openid', 'post:create'],
    ]);
  });

  it('gives each application another subject for the same person [userinfo-pairwise]', async () => {
    const other = await discover(network, await network.registerApplication());
    const here = await connect(client, new Browser(network.baseUrl), 'ada');
    const there = await connect(other, new Browser(network.baseUrl), 'ada');
    expect(new Set([here.subject, there.subject, actorId]).size).toBe(3);
  });

  it('issues a refresh token for offline_access, without openid and without prompt=consent', async () => {
    const attempt = await authorizationRequest(client, 'read offline_access', { prompt: '' });
    const callback = await new Browser(network.baseUrl).authorize(attempt.url, { handle: 'ada', password });
    const tokens = await exchange(client, callback, attempt);
    expect(tokens).toMatchObject({ scope: 'offline_access read', expires_in: 300 });
    expect(tokens.refresh_token).toBeDefined();
  });

  it('reports to the application that the person denied', async () => {
    const attempt = await authorizationRequest(client, 'read');
    const callback = await new Browser(network.baseUrl).authorize(attempt.url, {
      handle: 'ada',
      password,
      decision: 'deny',
    });
    expect(Object.fromEntries(callback.searchParams)).toEqual({
      error: 'access_denied',
      error_description: expect.any(String),
      state: attempt.state,
      iss: network.issuer,
    });
  });
});

describe('a revoked token', () => {
  it.each(['accessToken', 'refreshToken'] as const)(
    'that is the %s ends its grant [lifetime-refresh]',
    async (which) => {
      const connected = await connect(client, new Browser(network.baseUrl), 'ada');
      const { grant_id: grantId } = await grantOf(connected.accessToken);
      await oidc.tokenRevocation(client, connected[which]);
      expect(await isLive(client, connected.accessToken)).toBe(false);
      const refreshed = oidc.refreshTokenGrant(client, connected.refreshToken);
      expect(await errorOf(refreshed)).toEqual({ status: 400, error: 'invalid_grant' });
      const recorded = await network.log().read(streams.grant(grantId));
      expect(recorded.at(-1)?.event).toMatchObject({ type: 'grant.revoked', data: { cause: 'client' } });
    },
  );

  it('of another application stays live, and the revoking application learns nothing', async () => {
    const other = await discover(network, await network.registerApplication());
    const { accessToken } = await connect(client, new Browser(network.baseUrl), 'ada');
    await errorOf(oidc.tokenRevocation(other, accessToken));
    expect(await isLive(other, accessToken)).toBe(false);
    expect(await isLive(client, accessToken)).toBe(true);
  });
});

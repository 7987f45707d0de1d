import { once } from 'node:events';
import { request } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { json } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import * as oidc from 'openid-client';
import type { ClientCredentials } from '../../src/commands/application/applications.js';
import { streams } from '../../src/log/streams.js';
import { Browser } from '../../src/programs/demo/browser.js';
import { startAuthNetwork } from './support/auth-network.js';
import type { AuthNetwork } from './support/auth-network.js';
import { connect, discover, errorOf, isLive } from './support/flow.js';

let network: AuthNetwork;
let application: ClientCredentials;
let client: oidc.Configuration;

beforeAll(async () => {
  network = await startAuthNetwork();
  await network.createAccount('ada');
  application = await network.registerApplication();
  client = await discover(network, application);
});

afterAll(() => network.stop());

const connectAda = (scope?: string) => connect(client, new Browser(network.baseUrl), 'ada', scope);

const query = (sql: string, parameters: unknown[] = []) =>
  network.database().dataSource.query(sql, parameters);

async function grantIdOf(token: string): Promise<string> {
  const [row] = await query('SELECT grant_id FROM authority.oidc_record WHERE key_hash = sha256($1::bytea)', [
    Buffer.from(token),
  ]);
  return row.grant_id as string;
}

/** Refreshes at one of the servers, as behind a load balancer. */
async function refreshAt(port: number, token: string): Promise<{ status: number; error?: string }> {
  const { clientId, clientSecret } = application;
  const sent = request({
    method: 'POST',
    host: '127.0.0.1',
    port,
    path: '/api/auth/oauth2/token',
    auth: `${clientId}:${clientSecret}`,
    headers: {
      host: new URL(network.baseUrl).host,
      'content-type': 'application/x-www-form-urlencoded',
    },
  });
  sent.end(new URLSearchParams({ grant_type: 'refresh_token', refresh_token: token }).toString());
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  return { status: response.statusCode ?? 0, ...((await json(response)) as { error?: string }) };
}

describe('a refresh', () => {
  it('replaces the token and keeps actor, application, grant and scopes [refresh-rotation, refresh-keeps, token-refresh-fields]', async () => {
    const before = await connectAda();
    const after = await oidc.refreshTokenGrant(client, before.refreshToken);
    expect(after.refresh_token).not.toBe(before.refreshToken);
    expect(after.scope).toBe(before.scope);
    expect(after.claims()?.sub).toBe(before.subject);
    expect(await grantIdOf(after.access_token)).toBe(await grantIdOf(before.accessToken));
    const next = await oidc.refreshTokenGrant(client, after.refresh_token ?? '');
    expect(next.refresh_token).toBeDefined();
  });

  it('does not extend the 30 days that began with the first token [lifetime-refresh]', async () => {
    const { refreshToken } = await connectAda();
    const began = Math.floor(Date.now() / 1000) - 29 * 24 * 3600;
    await query(
      `UPDATE authority.oidc_record
       SET payload = payload || jsonb_build_object('iat', $2::int, 'iiat', $2::int)
       WHERE key_hash = sha256($1::bytea)`,
      [Buffer.from(refreshToken), began],
    );
    const { refresh_token: next = '' } = await oidc.refreshTokenGrant(client, refreshToken);
    const [row] = await query(
      `SELECT (payload->>'exp')::int AS exp FROM authority.oidc_record WHERE key_hash = sha256($1::bytea)`,
      [Buffer.from(next)],
    );
    expect(Math.abs(row.exp - (began + 30 * 24 * 3600))).toBeLessThanOrEqual(5);
  });

  it.each(['read', 'openid offline_access read post:create block:read'])(
    'is refused for other scopes than the granted ones (%s), and the token stays usable [token-scope, refresh-keeps]',
    async (scope) => {
      const { refreshToken } = await connectAda();
      const other = oidc.refreshTokenGrant(client, refreshToken, { scope });
      expect(await errorOf(other)).toEqual({ status: 400, error: 'invalid_scope' });
      expect(await errorOf(oidc.refreshTokenGrant(client, refreshToken))).toBeUndefined();
    },
  );

  it('succeeds with the granted scopes in another order', async () => {
    const { refreshToken } = await connectAda('openid read offline_access');
    const same = oidc.refreshTokenGrant(client, refreshToken, { scope: 'read openid offline_access' });
    expect(await errorOf(same)).toBeUndefined();
  });

  it('with a used token ends the grant and its newest tokens [refresh-rotation]', async () => {
    const { refreshToken } = await connectAda();
    const rotated = await oidc.refreshTokenGrant(client, refreshToken);
    const grantId = await grantIdOf(rotated.access_token);
    expect(await isLive(client, rotated.access_token)).toBe(true);
    const reuse = oidc.refreshTokenGrant(client, refreshToken);
    expect(await errorOf(reuse)).toEqual({ status: 400, error: 'invalid_grant' });
    expect(await isLive(client, rotated.access_token)).toBe(false);
    const next = oidc.refreshTokenGrant(client, rotated.refresh_token ?? '');
    expect(await errorOf(next)).toEqual({ status: 400, error: 'invalid_grant' });
    const recorded = await network.log().read(streams.grant(grantId));
    expect(recorded.map(({ event }) => event.type).slice(-2)).toEqual([
      'grant.reuse_detected',
      'grant.revoked',
    ]);
    const rows = await query('SELECT 1 FROM authority.app_grant WHERE grant_id = $1 AND revoked_at IS NULL', [
      grantId,
    ]);
    expect(rows).toEqual([]);
  });

  it('of one token by eight concurrent requests to two servers succeeds once [refresh-serialized]', async () => {
    const { refreshToken } = await connectAda();
    const another = await network.startAnotherServer();
    const ports = [network.config.port, another.port];
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, index) => refreshAt(ports[index % 2] ?? 0, refreshToken)),
    );
    await another.close();
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter(({ error }) => error === 'invalid_grant')).toHaveLength(7);
  });

  it('that fails in the store loses nothing [refresh-rotation]', async () => {
    const { refreshToken } = await connectAda();
    await query(`CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN RAISE EXCEPTION 'no more access tokens'; END $$`);
    await query(`CREATE TRIGGER refuse BEFORE INSERT ON authority.oidc_record FOR EACH ROW
      WHEN (NEW.kind = 'AccessToken') EXECUTE FUNCTION refuse()`);
    const failed = await errorOf(oidc.refreshTokenGrant(client, refreshToken));
    await query('DROP TRIGGER refuse ON authority.oidc_record');
    await query('DROP FUNCTION refuse()');
    expect(failed).toMatchObject({ status: 500, error: 'server_error' });
    expect(await errorOf(oidc.refreshTokenGrant(client, refreshToken))).toBeUndefined();
  });
});

/** @slow */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import * as oidc from 'openid-client';
import { Client } from 'pg';
import { Browser } from '../../src/programs/demo/browser.js';
import { until } from '../support/until.js';
import { startAuthNetwork } from './support/auth-network.js';
import type { AuthNetwork } from './support/auth-network.js';
import { authorizationRequest, connect, discover, errorOf, isLive } from './support/flow.js';

const REFRESHES = 6;
/** More than the server's connections. */
const WRITES = 30;

let network: AuthNetwork;
let client: oidc.Configuration;
let refreshTokens: string[];
/** Sees committed rows only. */
let observer: Client;
let lockHolder: Client;

beforeAll(async () => {
  network = await startAuthNetwork({ hasOwnPostgres: true });
  await network.createAccount('ada');
  client = await discover(network, await network.registerApplication());
  const browser = new Browser(network.baseUrl);
  refreshTokens = [];
  for (let count = 0; count < REFRESHES; count++)
    refreshTokens.push((await connect(client, browser, 'ada')).refreshToken);
  observer = new Client(network.databaseUrl);
  lockHolder = new Client(network.databaseUrl);
  await Promise.all([observer.connect(), lockHolder.connect()]);
});

afterAll(async () => {
  await Promise.all([observer.end(), lockHolder.end()]);
  await network.stop();
});

const count = async (sql: string, parameters: unknown[] = []) =>
  Number((await observer.query<{ n: string }>(`SELECT count(*) AS n FROM ${sql}`, parameters)).rows[0]?.n);

const countBackends = (state: string) =>
  count(`pg_stat_activity WHERE application_name = 'plaza-auth-test' AND ${state}`);

const refreshed = async (token: string) => errorOf(oidc.refreshTokenGrant(client, token));

describe('Postgres backends that freeze during token requests', () => {
  it('leave no connection on which a write is acknowledged and then lost', async () => {
    await lockHolder.query('BEGIN');
    await lockHolder.query(`SELECT 1 FROM authority.oidc_record WHERE kind = 'RefreshToken' FOR UPDATE`);
    const answers = Promise.all(refreshTokens.map(refreshed));
    const waiting = () => countBackends(`wait_event_type = 'Lock'`);
    await until(async () => (await waiting()) === REFRESHES);

    network.postgres.freeze();
    const refusals = await answers.finally(() => network.postgres.thaw());
    await lockHolder.query('ROLLBACK');
    for (const refusal of refusals)
      expect(refusal).toMatchObject({ status: 503, error: 'temporarily_unavailable' });

    const before = await count(`authority.oidc_record WHERE kind = 'Interaction'`);
    const acknowledged = await Promise.all(
      Array.from({ length: WRITES }, async () => {
        const { url } = await authorizationRequest(client, 'openid');
        return (await fetch(url, { redirect: 'manual' })).headers.get('location');
      }),
    );
    for (const location of acknowledged) expect(location).toContain('/interaction/');
    expect(await count(`authority.oidc_record WHERE kind = 'Interaction'`)).toBe(before + WRITES);

    for (const token of refreshTokens) {
      const { access_token: accessToken } = await oidc.refreshTokenGrant(client, token);
      expect(await isLive(client, accessToken)).toBe(true);
      expect(
        await count('authority.oidc_record WHERE key_hash = sha256($1::bytea)', [Buffer.from(accessToken)]),
      ).toBe(1);
    }
    expect(await countBackends(`state LIKE 'idle in transaction%'`)).toBe(0);
  });
});

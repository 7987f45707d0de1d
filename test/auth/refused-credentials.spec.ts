import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { ClientCredentials } from '../../src/commands/application/applications.js';
import { startAuthNetwork } from './support/auth-network.js';
import type { AuthNetwork } from './support/auth-network.js';
import { basicCredentials, formContentType, send } from './support/raw.js';

let network: AuthNetwork;
let application: ClientCredentials;

beforeAll(async () => {
  network = await startAuthNetwork();
  await network.restartServer({ TRUSTED_PROXIES: '127.0.0.1' });
  application = await network.registerApplication();
});

afterAll(() => network.stop());

beforeEach(() => query('DELETE FROM limits.used'));

const query = (sql: string, values: unknown[] = []) => network.database().pool.query(sql, values);
const points = async () =>
  (await query('SELECT points FROM limits.used')).rows.map((row: { points: number }) => row.points);

let addresses = 0;
const newAddress = () => ['x-forwarded-for', `198.51.100.${++addresses}`] as const;

type Header = readonly [string, string];
const endpoints = ['token', 'introspect', 'revoke', 'userinfo'];

/** Sends a request with invalid credentials, or with the given ones. */
function ask(endpoint: string, from: Header, credentials?: ClientCredentials) {
  const path = `/api/auth/oauth2/${endpoint}`;
  if (endpoint === 'userinfo')
    return send(network, { path, headers: [from, ['authorization', 'Bearer nobodys']] });
  const own = credentials ?? { ...application, clientSecret: 'x'.repeat(43) };
  const body = 'grant_type=refresh_token&refresh_token=x&token=x';
  return send(network, {
    method: 'POST',
    path,
    headers: [from, basicCredentials(own), formContentType],
    body,
  });
}

describe.each(endpoints)('at %s, refused credentials', (endpoint) => {
  it('are limited to 6,000 in five minutes for each address, after which none is looked up', async () => {
    const from = newAddress();
    expect([(await ask(endpoint, from)).status, await points()]).toEqual([401, [1]]);
    await query('UPDATE limits.used SET points = 5999');
    expect([(await ask(endpoint, from)).status, await points()]).toEqual([401, [6_000]]);
    const { status, headers, body } = await ask(endpoint, from);
    expect([status, body]).toEqual([
      429,
      { error: 'pilot_rate_limited', error_description: expect.stringContaining('retry in') },
    ]);
    expect(headers['retry-after']).toMatch(/^[1-9][0-9]*$/);
    expect(headers['ratelimit-policy']).toBe('"refused";q=6000;w=300');
    expect(headers['ratelimit']).toBe(`"refused";r=0;t=${headers['retry-after']}`);
    expect(await points()).toEqual([6_000]);
    expect((await ask(endpoint, newAddress())).status).toBe(401);
  });
});

it('refused credentials do not block an application that this process has accepted before', async () => {
  const from = newAddress();
  const known = await network.registerApplication();
  const unknown = await network.registerApplication();
  expect((await ask('introspect', newAddress(), known)).status).toBe(200);
  expect((await ask('introspect', from)).status).toBe(401);
  await query('UPDATE limits.used SET points = 6000');
  expect((await ask('introspect', from)).status).toBe(401);
  expect((await ask('revoke', from, known)).status).toBe(200);
  expect((await ask('introspect', from, unknown)).status).toBe(429);
});

it('requests refused for other reasons are not counted', async () => {
  const from = newAddress();
  const answers = await Promise.all(
    ['token', 'introspect', 'revoke'].map((endpoint) => ask(endpoint, from, application)),
  );
  expect(answers.map(({ status }) => status)).toEqual([400, 200, 200]);
  expect(await points()).toEqual([]);
});

describe('malformed credentials', () => {
  /** Sends a refresh while every lookup would wait. */
  async function refreshWithoutLookup(...headers: Header[]) {
    const lock = await network.database().pool.connect();
    try {
      await lock.query('BEGIN; LOCK TABLE authority.application, authority.oidc_record');
      return await send(network, {
        method: 'POST',
        path: '/api/auth/oauth2/token',
        headers: [newAddress(), formContentType, ...headers],
        body: 'grant_type=refresh_token&refresh_token=x',
      });
    } finally {
      await lock.query('ROLLBACK');
      lock.release();
    }
  }

  it.each(['Basic !', 'Basic YTpi=', 'Basic YTpiYw=', 'Basic YTpiY'])(
    'are refused without a lookup, and not counted: %s',
    async (authorization) => {
      const { status, body } = await refreshWithoutLookup(['authorization', authorization]);
      expect([status, body.error]).toEqual([401, 'invalid_client']);
      expect(await points()).toEqual([]);
    },
  );

  it.each(['oauth-client-attestation', 'oauth-client-attestation-pop'])(
    'of a second mechanism are refused without a lookup: %s',
    async (header) => {
      const { status, body } = await refreshWithoutLookup(basicCredentials(application), [header, 'x']);
      expect([status, body.error]).toEqual([400, 'invalid_request']);
    },
  );
});

import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startOperatorApi } from '../../src/operator/api/operator-api.js';
import { Browser } from '../../src/operator/demo/browser.js';
import { streams } from '../../src/log/streams.js';
import { everyScope, password, redirectUri, startAuthNetwork } from './support/auth-network.js';
import type { AuthNetwork } from './support/auth-network.js';
import { connect, discover, errorOf } from './support/flow.js';

let network: AuthNetwork;
let operatorApi: { close(): Promise<void> };
let url: string;
let tokenFile: string;

beforeAll(async () => {
  network = await startAuthNetwork();
  operatorApi = await startOperatorApi(network.app());
  const { operatorHost, operatorPort, dataDir } = network.config;
  url = `http://${operatorHost}:${operatorPort}`;
  tokenFile = join(dataDir, 'operator.token');
}, 60_000);

afterAll(async () => {
  await operatorApi.close();
  await network.stop();
});

const application = { name: 'Pebble', redirectUris: [redirectUri], scopes: everyScope };
const account = (handle: string) => ({
  handle,
  displayName: 'Ada',
  email: `${handle}@example.org`,
  password,
});

async function post(path: string, sent: unknown, changes: Readonly<Record<string, string>> = {}) {
  const response = await fetch(url + path, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${readFileSync(tokenFile, 'utf8').trim()}`,
      'content-type': 'application/json',
      'x-operator': 'grace',
      ...changes,
    },
    body: JSON.stringify(sent),
  });
  const body = (await response.json()) as Readonly<Record<string, string>>;
  return { status: response.status, headers: response.headers, body };
}

describe('the operator API', () => {
  it('makes its token where only its owner can read it', () => {
    expect(statSync(tokenFile).mode & 0o777).toBe(0o600);
  });

  it.each([
    ['no token', '', 'authentication_required'],
    ['another token', 'Bearer 0123456789012345678901234567890123456789012', 'invalid_token'],
    ['another scheme', 'Basic abc', 'invalid_token'],
  ])('lets nobody in with %s', async (_what, authorization, error) => {
    const headers = Object.entries({ authorization }).filter(([, value]) => value !== '');
    const response = await fetch(`${url}/operator/projections`, { headers: Object.fromEntries(headers) });
    expect(response.status).toBe(401);
    expect(await response.json()).toEqual({ error, message: expect.any(String) });
  });

  it('registers an application and a person, who can use each other at once', async () => {
    const registered = await post('/operator/applications', application);
    expect(registered.status).toBe(201);
    const { clientId = '', clientSecret = '' } = registered.body;
    expect(`${clientId}${clientSecret}`).toMatch(/^[A-Za-z0-9_-]+$/);
    const created = await post('/operator/accounts', account('ada'));
    expect(created).toMatchObject({ status: 201, body: { actorId: expect.any(String) } });
    const client = await discover(network, { clientId, clientSecret });
    expect(await errorOf(connect(client, new Browser(network.baseUrl), 'ada'))).toBeUndefined();
  });

  it('records who acted, and why', async () => {
    const { body } = await post('/operator/applications', { ...application, reason: 'a partner asked' });
    const [event] = await network.log().read(streams.application(body['clientId'] ?? ''));
    expect(event?.metadata).toMatchObject({ operator: 'grace', reason: 'a partner asked' });
  });

  it('takes a repeated account for a retry only if it is named', async () => {
    const named = { 'idempotency-key': 'account-of-bob' };
    const first = await post('/operator/accounts', account('bob'), named);
    expect(await post('/operator/accounts', account('bob'), named)).toMatchObject({
      status: 201,
      body: first.body,
    });
    await post('/operator/accounts', account('cleo'));
    expect(await post('/operator/accounts', account('cleo'))).toMatchObject({
      status: 409,
      body: { error: 'intent_conflict' },
    });
  });

  it.each([
    ['/operator/applications', { ...application, secret: 'x' }, 400, 'unknown_or_immutable_field'],
    ['/operator/applications', { ...application, scopes: 'read' }, 400, 'invalid_request'],
    ['/operator/applications', { ...application, scopes: ['fly'] }, 400, 'invalid_text'],
    ['/operator/accounts', { ...account('dora'), password: 'short' }, 400, 'invalid_request'],
    ['/operator/accounts', { ...account('No Handle') }, 400, 'invalid_text'],
    ['/operator/accounts', 'text', 400, 'invalid_request'],
    ['/operator/nothing', {}, 404, 'not_found'],
  ])('refuses at %s %j', async (path, body, status, error) => {
    expect(await post(path, body)).toMatchObject({
      status,
      body: { error, message: expect.any(String) },
    });
  });

  it('says so when a store is away, and goes on when it is back', async () => {
    await network.eventStore.begin();
    const refused = await post('/operator/applications', application);
    expect(refused).toMatchObject({ status: 503, body: { error: 'domain_storage_unavailable' } });
    expect(refused.headers.get('retry-after')).toMatch(/^[1-9][0-9]*$/);
    await network.eventStore.end();
    await network.postgres.begin();
    expect(await post('/operator/accounts', account('emil'))).toMatchObject({ status: 503 });
    await network.postgres.end();
    expect(await post('/operator/accounts', account('emil'))).toMatchObject({ status: 201 });
  }, 60_000);
});

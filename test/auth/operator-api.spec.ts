import { once } from 'node:events';
import { request } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { readFileSync, statSync } from 'node:fs';
import { connect as openConnection } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startOperatorApi } from '../../src/operator/entrances/operator-server.js';
import { Browser } from '../../src/programs/demo/browser.js';
import { streams } from '../../src/log/streams.js';
import { everyScope, password, redirectUri, startAuthNetwork } from './support/auth-network.js';
import type { AuthNetwork } from './support/auth-network.js';
import { connect, discover, errorOf } from './support/flow.js';

let network: AuthNetwork;
let operatorApi: { close(): Promise<void> };
let url: string;
let tokenFile: string;

beforeAll(async () => {
  network = await startAuthNetwork({ hasOwnPostgres: true });
  operatorApi = await startOperatorApi(network.app());
  const { operatorHost, operatorPort, dataDir } = network.config;
  url = `http://${operatorHost}:${operatorPort}`;
  tokenFile = join(dataDir, 'operator.token');
});

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

async function get<Body>(path: string): Promise<Body> {
  const authorization = `Bearer ${readFileSync(tokenFile, 'utf8').trim()}`;
  return (await (await fetch(url + path, { headers: { authorization } })).json()) as Body;
}

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
  it('refuses bytes that are not HTTP in its format of errors', async () => {
    const socket = openConnection(network.config.operatorPort, network.config.operatorHost);
    socket.write('this is no HTTP\r\n\r\n');
    const answer = await text(socket);
    expect(JSON.parse(answer.slice(answer.indexOf('\r\n\r\n')))).toEqual({
      error: 'invalid_request',
      message: 'This is not a well-formed HTTP request.',
    });
  });

  it('refuses a malformed address in its format of errors', async () => {
    expect(await get('/operator/%zz')).toEqual({ error: 'invalid_request', message: expect.any(String) });
  });

  it('stores its token in a file that only its owner can read', () => {
    expect(statSync(tokenFile).mode & 0o777).toBe(0o600);
  });

  it.each([
    ['no token', '', 'authentication_required'],
    ['another token', 'Bearer 0123456789012345678901234567890123456789012', 'invalid_token'],
    ['another scheme', 'Basic abc', 'invalid_token'],
  ])('refuses %s', async (_what, authorization, error) => {
    const headers = Object.entries({ authorization }).filter(([, value]) => value !== '');
    const response = await fetch(`${url}/operator/projections`, { headers: Object.fromEntries(headers) });
    expect(response.status).toBe(401);
    expect(await response.json()).toEqual({ error, message: expect.any(String) });
  });

  it('registers an application and a person, who can sign in through it at once', async () => {
    const newApplication = await post('/operator/applications', application);
    expect(newApplication.status).toBe(201);
    const { clientId = '', clientSecret = '' } = newApplication.body;
    expect(`${clientId}${clientSecret}`).toMatch(/^[A-Za-z0-9_-]+$/);
    const created = await post('/operator/accounts', account('ada'));
    expect(created).toMatchObject({ status: 201, body: { actorId: expect.any(String) } });
    const client = await discover(network, { clientId, clientSecret });
    expect(await errorOf(connect(client, new Browser(network.baseUrl), 'ada'))).toBeUndefined();
  });

  it('records the operator and the reason', async () => {
    const { body } = await post('/operator/applications', { ...application, reason: 'a partner asked' });
    const [event] = await network.log().read(streams.application(body['clientId'] ?? ''));
    expect(event?.metadata).toMatchObject({ operator: 'grace', reason: 'a partner asked' });
  });

  it('treats a repeated account as a retry only with an idempotency key', async () => {
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
    ['/operator/accounts', { ...account('dora'), password: '🦊🦊🦊🦊' }, 400, 'invalid_request'],
    ['/operator/accounts', { ...account('No Handle') }, 400, 'invalid_text'],
    ['/operator/accounts', 'text', 400, 'invalid_request'],
    ['/operator/applications', { ...application, name: 'Plaza' }, 400, 'invalid_text'],
    [
      '/operator/applications',
      { ...application, postLogoutRedirectUris: ['http://*/'] },
      400,
      'invalid_text',
    ],
    ['/operator/applications/nobody/suspend', {}, 404, 'not_found'],
    ['/operator/applications/nobody/reinstate', {}, 404, 'not_found'],
    ['/operator/applications/nobody/revoke-grants', {}, 404, 'not_found'],
    ['/operator/applications/nobody/rotate-secret', { overlapMs: 0 }, 404, 'not_found'],
    ['/operator/applications/nobody/rotate-secret', { overlapMs: -1 }, 400, 'invalid_request'],
    ['/operator/applications/nobody/rotate-secret', {}, 400, 'invalid_request'],
    ['/operator/applications/nobody/update', { reason: 'r', name: 'X' }, 404, 'not_found'],
    ['/operator/applications/nobody/update', { name: 'X' }, 400, 'invalid_request'],
    ['/operator/applications/nobody/update', { reason: 'r', revision: -1 }, 400, 'invalid_request'],
    ['/operator/applications/nobody/update', { reason: 'r', scopes: 'read' }, 400, 'invalid_request'],
    ['/operator/applications/nobody/update', { reason: 'r', secret: 'x' }, 400, 'unknown_or_immutable_field'],
    ['/operator/applications/nobody/update/preview', { name: 'X' }, 404, 'not_found'],
    ['/operator/applications/n%20o/suspend', {}, 404, 'not_found'],
    ['/operator/accounts/nobody/suspend', {}, 400, 'invalid_request'],
    ['/operator/accounts/nobody/suspend', { reason: 'spam' }, 404, 'not_found'],
    ['/operator/accounts/nobody/reinstate', { reason: 'spam' }, 404, 'not_found'],
    ['/operator/signing-keys/rotate', { reason: '' }, 400, 'invalid_request'],
    ['/operator/nothing', {}, 404, 'not_found'],
  ])('refuses at %s the body %j', async (path, body, status, error) => {
    expect(await post(path, body)).toMatchObject({
      status,
      body: { error, message: expect.any(String) },
    });
  });

  it('lists applications with scopes, addresses, state and number of grants', async () => {
    const newApplication = await post('/operator/applications', { ...application, name: 'Quill' });
    const { clientId = '', clientSecret = '' } = newApplication.body;
    const client = await discover(network, { clientId, clientSecret });
    await post('/operator/accounts', account('greta'));
    await connect(client, new Browser(network.baseUrl), 'greta');
    const listed = await get<{ clientId: string }[]>('/operator/applications');
    expect(listed.find((each) => each.clientId === clientId)).toEqual({
      clientId,
      name: 'Quill',
      state: 'active',
      scopes: everyScope.toSorted(),
      redirectUris: [redirectUri],
      postLogoutRedirectUris: [],
      registeredAt: expect.any(Number),
      grants: 1,
    });
    expect(listed.at(-1)?.clientId).toBe(clientId);
    expect(await post(`/operator/applications/${clientId}/revoke-grants`, {})).toMatchObject({
      status: 200,
      body: { revoked: 1 },
    });
    await post(`/operator/applications/${clientId}/suspend`, {});
    const [newest] = (await get<{ clientId: string }[]>('/operator/applications')).toReversed();
    expect(newest).toMatchObject({ clientId, state: 'suspended', grants: 0 });
  });

  it('does not rotate signing keys in a log without a network', async () => {
    expect(await post('/operator/signing-keys/rotate', {})).toMatchObject({
      status: 503,
      body: { error: 'recovery_state_missing' },
    });
    const keys = await get<object[]>('/operator/signing-keys');
    expect(keys).toEqual([
      { kid: expect.any(String), state: 'signing', signsFrom: null, publishedUntil: null },
    ]);
  });

  it.each([
    ['applications/nobody/suspend', { reason: '' }, 'reason (--reason): say why in 1 to 500 characters'],
    ['accounts/nobody/suspend', {}, 'reason (--reason): say why in 1 to 500 characters'],
    ['applications/nobody/rotate-secret', { overlapMs: 1e12 }, 'overlapMs (--overlap): from 0 to 366 days'],
    [
      'applications',
      { ...application, name: 'Quill\u202E' },
      'The name must be one line of 1 to 64 visible characters.',
    ],
  ])('explains a fault in plain words at %s with %j', async (path, body, message) => {
    expect(await post(`/operator/${path}`, body)).toMatchObject({ status: 400, body: { message } });
  });

  it('answers 503 while a store is unavailable, and succeeds afterwards', async () => {
    const { clientId } = (await post('/operator/applications', application)).body;
    await network.eventStore.stop();
    const suspended = await post(`/operator/applications/${clientId}/suspend`, {});
    expect(suspended).toMatchObject({
      status: 503,
      body: { message: 'It is not known whether this was done; run the command again, which is safe.' },
    });
    const refused = await post('/operator/applications', application);
    expect(refused.body['message']).toContain('another application with another secret is made');
    expect(refused).toMatchObject({ status: 503, body: { error: 'domain_storage_unavailable' } });
    expect(refused.headers.get('retry-after')).toMatch(/^[1-9][0-9]*$/);
    await network.eventStore.start();
    await network.postgres.stop();
    const metrics = await fetch(`${url}/metrics`);
    expect([metrics.status, await metrics.text()]).toEqual([
      200,
      expect.stringContaining('plaza_store_up{store="read"} 0'),
    ]);
    expect(await post('/operator/accounts', account('emil'))).toMatchObject({ status: 503 });
    await network.postgres.start();
    expect(await post('/operator/accounts', account('emil'))).toMatchObject({ status: 201 });
  });
});

describe('/metrics needs no token, and answers a scraper', () => {
  const scrape = async (host: string) => {
    const { port, hostname } = new URL(url);
    const asked = request({ host: hostname, port, path: '/metrics', headers: { host } }).end();
    const [response] = (await once(asked, 'response')) as [IncomingMessage];
    response.resume();
    return response.statusCode;
  };

  it.each(['localhost', 'LOCALHOST:3001', '127.0.0.1:9', '[::1]:3001'])(
    'on this machine: %s',
    async (host) => {
      expect(await scrape(host)).toBe(200);
    },
  );

  it.each(['evil.example', 'localhost.evil.example', 'localhost@evil.example', '127.evil.example'])(
    'but not a page under a foreign host name: %j',
    async (host) => {
      expect(await scrape(host)).toBe(403);
    },
  );
});

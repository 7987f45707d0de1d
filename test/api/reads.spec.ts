import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { registerApplication, send, signIn } from '../support/api.js';
import type { SignedIn } from '../support/api.js';
import { sharedNetwork } from '../support/shared-network.js';
import type { SharedNetwork } from '../support/shared-network.js';
import { until } from '../support/until.js';

let network: SharedNetwork;
let alice: SignedIn;
let bob: SignedIn;

beforeAll(async () => {
  network = await sharedNetwork();
  const application = await registerApplication(network);
  alice = await signIn(network, application);
  bob = await signIn(network, application);
});

const commonHeaders = [
  'x-network-revision',
  'x-network-incarnation',
  'x-network-witness-epoch',
  'x-network-actor-id',
  'x-network-app-id',
  'x-network-grant-id',
  'x-network-scopes',
];

const errorBody = (code: string) => ({ error: code, message: expect.any(String) });

describe('protected reads', () => {
  it('carry the seven common headers [header-revision, header-incarnation, header-witness-epoch, header-actor-id, header-app-id, header-grant-id, header-scopes, profile-answer]', async () => {
    // An account is certain for its person alone, until the worker has it.
    await until(async () => (await alice.get(`/api/actors/${bob.actorId}`)).status === 200);
    for (const path of ['/api/profile', '/api/session', '/api/reconcile', `/api/actors/${bob.actorId}`]) {
      const { status, headers } = await alice.get(path);
      expect(status).toBe(200);
      for (const name of commonHeaders) expect([name, headers.get(name)]).not.toEqual([name, null]);
      expect(headers.get('x-network-revision')).toMatch(/^[0-9]+$/);
      expect(headers.get('x-network-witness-epoch')).toMatch(/^[0-9]+$/);
      expect(headers.get('x-network-actor-id')).toBe(alice.actorId);
      expect(headers.get('x-network-app-id')).toBe(alice.appId);
      expect(headers.get('x-network-scopes')?.split(' ').sort()).toEqual(['openid', 'post:create', 'read']);
    }
  });

  it('have no limit and no limit headers in a network without limits', async () => {
    const asked = Array.from({ length: 130 }, () => send(network.baseUrl, 'GET', '/api/actors/nobody'));
    for (const { status, headers } of await Promise.all(asked)) {
      expect(status).toBe(404);
      expect([...headers.keys()].filter((name) => name.startsWith('ratelimit'))).toEqual([]);
    }
  });

  it('name the actor, application and grant of the session [session-answer, userinfo-pairwise, flow-session, lifetime-access]', async () => {
    const { body, headers } = await alice.get('/api/session');
    expect(body).toEqual({
      actorId: alice.actorId,
      appId: alice.appId,
      grantId: headers.get('x-network-grant-id'),
      scopes: expect.arrayContaining(['openid', 'read', 'post:create']),
      expiresAt: expect.any(Number),
      incarnation: headers.get('x-network-incarnation'),
    });
    expect(body.expiresAt - Date.now()).toBeGreaterThan(200_000);
    expect(body.expiresAt - Date.now()).toBeLessThanOrEqual(300_000);
  });

  it('of the session need a token, and none of its scopes [session-bearer]', async () => {
    const nobody = await signIn(network, await registerApplication(network), 'openid');
    expect((await nobody.get('/api/session')).status).toBe(200);
    expect((await nobody.get('/api/profile')).status).toBe(403);
  });

  it('show one’s own profile [own-profile-actor-id, own-profile-handle, own-profile-display-name, own-profile-bio, own-profile-website, own-profile-revision, own-profile-exact, profile-answer]', async () => {
    const { body } = await alice.get('/api/profile');
    expect(body).toEqual({
      profile: {
        actorId: alice.actorId,
        handle: expect.stringMatching(/^p_/),
        displayName: expect.stringMatching(/^Person p_/),
        bio: '',
        website: '',
        revision: 1,
      },
    });
  });

  it('show an actor to everybody, and answer 404 for an unknown one', async () => {
    const path = `/api/actors/${bob.actorId}`;
    const { body } = await send(network.baseUrl, 'GET', path);
    expect(body.actor).toEqual({
      actorId: bob.actorId,
      handle: expect.any(String),
      displayName: expect.any(String),
      bio: '',
      website: '',
      createdAt: expect.any(Number),
      followers: 0,
      following: 0,
      posts: expect.any(Number),
    });
    const unknown = await alice.get('/api/actors/nobody');
    expect([unknown.status, unknown.body]).toEqual([404, errorBody('not_found')]);
  });

  it('wait for the minimum revision, and are refused rather than answered without it', async () => {
    const { headers } = await alice.say('now');
    const revision = headers.get('x-network-write-revision') ?? '';
    // On a busy machine a worker may take longer than a read waits.
    const shown = await until(async () => {
      const answer = await bob.get('/api/reconcile', { 'x-network-min-revision': revision });
      return answer.status === 503 ? undefined : answer;
    });
    expect(Number(shown.headers.get('x-network-revision'))).toBeGreaterThanOrEqual(Number(revision));
    const ahead = await bob.get('/api/reconcile', { 'x-network-min-revision': '999999999999' });
    expect([ahead.status, ahead.body]).toEqual([503, errorBody('protected_read_unavailable')]);
    expect(ahead.headers.get('retry-after')).toMatch(/^[1-9][0-9]*$/);
    const nonsense = await bob.get('/api/reconcile', { 'x-network-min-revision': 'soon' });
    expect([nonsense.status, nonsense.body]).toEqual([400, errorBody('invalid_request')]);
  });
});

describe('credentials', () => {
  it.each([
    ['an unknown token', 'Bearer AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA'],
    ['another scheme', 'Basic YTpi'],
    ['no token', 'Bearer'],
    ['two tokens', 'Bearer a, Bearer b'],
  ])(
    'that are %s are refused, and never fall back to an anonymous read [service-no-fallback]',
    async (_name, authorization) => {
      for (const path of ['/api/profile', '/api/reconcile', `/api/actors/${bob.actorId}`]) {
        const answer = await send(network.baseUrl, 'GET', path, { headers: { authorization } });
        expect([answer.status, answer.body]).toEqual([401, errorBody('invalid_token')]);
        expect(answer.headers.get('www-authenticate')).toContain('error="invalid_token"');
      }
    },
  );

  it('are accepted with any number of spaces before the token', async () => {
    const headers = { authorization: `Bearer   ${alice.token}` };
    expect((await send(network.baseUrl, 'GET', '/api/session', { headers })).status).toBe(200);
  });

  it('are accepted in the header alone [credentials-bearer]', async () => {
    const answer = await send(network.baseUrl, 'GET', `/api/profile?access_token=${alice.token}`);
    expect([answer.status, answer.body]).toEqual([401, errorBody('authentication_required')]);
  });

  it('need the scope of the read [reconcile-scope, summary-session]', async () => {
    const application = await registerApplication(network);
    const writer = await signIn(network, application, 'openid post:create');
    for (const path of ['/api/profile', '/api/reconcile', `/api/actors/${bob.actorId}`]) {
      const answer = await writer.get(path);
      expect([answer.status, answer.body]).toEqual([403, errorBody('capability_required')]);
    }
    expect((await writer.get('/api/session')).status).toBe(200);
  });
});

describe('a request', () => {
  it.each(['/api/nothing', '/nothing', '/api/posts/a/b/c', '//'])(
    'to an unknown address is answered with 404: %s',
    async (path) => {
      const answer = await send(network.baseUrl, 'GET', path);
      expect([answer.status, answer.body]).toEqual([404, errorBody('not_found')]);
    },
  );

  it.each([
    ['GET', '/api/posts', 'POST'],
    ['DELETE', '/api/profile', 'GET, HEAD, PATCH'],
    ['PUT', '/api/posts/a/replies', 'GET, HEAD'],
    ['PATCH', '/livez', 'GET, HEAD'],
  ])('with an unknown method is answered with 405: %s %s', async (method, path, allow) => {
    const answer = await send(network.baseUrl, method, path);
    expect([answer.status, answer.body]).toEqual([405, errorBody('invalid_request')]);
    expect(answer.headers.get('allow')).toBe(allow);
  });

  it('to a malformed address is answered with 400', async () => {
    const answer = await send(network.baseUrl, 'GET', '/api/actors/%ZZ');
    expect([answer.status, answer.body]).toEqual([400, errorBody('invalid_request')]);
  });

  it.each(['/api/reconcile', '/%61pi/reconcile', '/api/%72econcile'])(
    'to a foreign host is refused: %s',
    async (path) => {
      const answer = await send(network.baseUrl.replace('localhost', '127.0.0.1'), 'GET', path);
      expect([answer.status, answer.body]).toEqual([403, errorBody('origin_mismatch')]);
    },
  );

  it.each([
    '/api/actors/%00',
    '/api/actors/a%20b',
    `/api/actors/${'x'.repeat(500)}`,
    '/api/posts/%00/replies',
  ])('for a malformed id is answered with 404: %s', async (path) => {
    expect((await alice.get(path)).status).toBe(404);
  });

  it('that is not HTTP is answered with 400', async () => {
    expect(await sendRaw('this is no HTTP')).toEqual([400, errorBody('invalid_request')]);
  });

  it.each([
    ['two hosts', (host: string) => `GET /api/reconcile HTTP/1.1\r\nHost: ${host}\r\nHost: evil.example`],
    [
      'the address of another host',
      (host: string) => `GET http://evil.example/api/reconcile HTTP/1.1\r\nHost: ${host}`,
    ],
  ])('with %s is refused with 403', async (_name, head) => {
    const { host } = new URL(network.baseUrl);
    expect(await sendRaw(head(host))).toEqual([403, errorBody('origin_mismatch')]);
  });

  it('with two credentials is answered with 400', async () => {
    const { host } = new URL(network.baseUrl);
    const bearer = `Authorization: Bearer ${alice.token}`;
    const head = `GET /api/profile HTTP/1.1\r\nHost: ${host}\r\n${bearer}\r\n${bearer}`;
    expect(await sendRaw(head)).toEqual([400, errorBody('invalid_request')]);
  });

  it.each([
    ['an unknown Expect header', 'GET /api/reconcile HTTP/1.1\r\nHost: HOST\r\nExpect: foo'],
    [
      'an unknown Expect header before a body',
      'POST /api/posts HTTP/1.1\r\nHost: HOST\r\nExpect: foo\r\nContent-Length: 2',
    ],
    ['no Host header', 'GET /livez HTTP/1.1'],
    ['no Host header, to the API', 'GET /api/reconcile HTTP/1.1'],
    ['no Host header, to an unknown address', 'GET /nothing HTTP/1.1'],
  ])('with %s is answered with 400', async (_name, head) => {
    const { host } = new URL(network.baseUrl);
    expect(await sendRaw(head.replace('HOST', host))).toEqual([400, errorBody('invalid_request')]);
  });

  it('with TRACE is answered with 405', async () => {
    const { host } = new URL(network.baseUrl);
    expect(await sendRaw(`TRACE /api/profile HTTP/1.1\r\nHost: ${host}`)).toEqual([
      405,
      errorBody('invalid_request'),
    ]);
  });
});

/** Sends bytes that client libraries refuse to send. */
async function sendRaw(head: string): Promise<[number, unknown]> {
  const socket = connect(Number(new URL(network.baseUrl).port), '127.0.0.1');
  socket.write(`${head}\r\nConnection: close\r\n\r\n`);
  const answer = await text(socket);
  return [Number(answer.slice(9, 12)), JSON.parse(answer.slice(answer.indexOf('\r\n\r\n')))];
}

import { randomUUID } from 'node:crypto';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { readConfig } from '../../src/base/config/config.js';
import { sharedTokenOf } from '../../src/launch/shared-token.js';
import { registerApplication } from '../support/api.js';
import { personWithToken } from '../support/people.js';
import type { SignedIn } from '../support/api.js';
import { runPlaza } from '../support/command.js';
import { sharedNetwork } from '../support/shared-network.js';
import type { SharedNetwork } from '../support/shared-network.js';

let network: SharedNetwork;
let operatorUrl: string;
let alice: SignedIn;

beforeAll(async () => {
  network = await sharedNetwork();
  operatorUrl = `http://127.0.0.1:${network.env['OPERATOR_PORT']}`;
  alice = await personWithToken(network, await registerApplication(network));
});

const made = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

const idOf = async (url: string, init: RequestInit = {}): Promise<string | null> =>
  (await fetch(url, { redirect: 'manual', ...init })).headers.get('x-request-id');

describe('every answer carries x-request-id', () => {
  it.each([
    ['a read', '/api/actors/nobody'],
    ['a refusal', '/api/session'],
    ['an unknown address', '/nowhere'],
    ['a malformed address', '/api/posts/%zz'],
    ['another method', '/api/openapi.json', 'PUT'],
    ['the document', '/api/openapi.json'],
    ['the landing page', '/'],
    ['the readiness', '/readyz'],
    ['discovery', '/api/auth/.well-known/openid-configuration'],
    ['a refusal of the library', '/api/auth/oauth2/authorize?client_id=none'],
    ['a refused client', '/api/auth/oauth2/token', 'POST'],
    ['a page', '/api/auth/account'],
    ['an unknown page', '/api/auth/account/nowhere'],
  ])('of the network: %s', async (_what, path, method = 'GET') => {
    const url = network.baseUrl + path;
    const [one, other] = [await idOf(url, { method }), await idOf(url, { method })];
    expect(one).toMatch(made);
    expect(other).toMatch(made);
    expect(one).not.toBe(other);
    expect(await idOf(url, { method, headers: { 'x-request-id': 'pebble/7f:3a=_.+-' } })).toBe(
      'pebble/7f:3a=_.+-',
    );
  });

  it.each([
    ['metrics', '/metrics'],
    ['a refusal', '/operator/audit'],
    ['an unknown address', '/nowhere'],
    ['a malformed address', '/operator/jobs/%zz'],
  ])('of the operator API: %s', async (_what, path) => {
    expect(await idOf(operatorUrl + path)).toMatch(made);
    expect(await idOf(operatorUrl + path, { headers: { 'x-request-id': 'ops-1' } })).toBe('ops-1');
  });

  it('of an open stream of events', async () => {
    const ended = new AbortController();
    const headers = { accept: 'text/event-stream', 'x-request-id': 'stream-1' };
    expect(await idOf(`${network.baseUrl}/api/events`, { headers, signal: ended.signal })).toBe('stream-1');
    ended.abort();
  });

  it.each([
    ['bytes that are not HTTP', () => network.baseUrl, 'this is no HTTP'],
    ['CONNECT', () => network.baseUrl, 'CONNECT HOST HTTP/1.1\r\nHost: HOST'],
    ['bytes that are not HTTP, to the operator API', () => operatorUrl, 'this is no HTTP'],
  ])('of %s', async (_what, urlOf, head) => {
    const { host, port } = new URL(urlOf());
    const socket = connect(Number(port), '127.0.0.1');
    socket.write(`${head.replaceAll('HOST', host)}\r\n\r\n`);
    expect(await text(socket)).toMatch(/\r\nx-request-id: [0-9a-f-]{36}\r\n/);
  });
});

describe('a malformed x-request-id is ignored', () => {
  it.each(['', 'two words', 'a"b', 'ada@example.org', 'x'.repeat(65), 'a,b'])('%j', async (sent) => {
    const id = await idOf(`${network.baseUrl}/api/actors/nobody`, { headers: { 'x-request-id': sent } });
    expect(id).toMatch(made);
  });

  it('as are two of them', async () => {
    const headers = new Headers([
      ['x-request-id', 'one'],
      ['x-request-id', 'two'],
    ]);
    expect(await idOf(`${network.baseUrl}/api/actors/nobody`, { headers })).toMatch(made);
  });
});

describe('the audit finds an act by x-request-id', () => {
  const found = async (id: string) => {
    const { stdout } = await runPlaza(['audit', '--wait', '--request', id], network.env);
    return stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { type: string; requestId: string; clientRequestId: string });
  };

  it('of a mutation, and never sends out the secret id beside it', async () => {
    const id = `act-${randomUUID()}`;
    const answer = await alice.post(
      '/api/posts',
      { intentId: randomUUID(), text: 'by request', audience: 'public' },
      { 'x-request-id': id },
    );
    const [act] = await found(id);
    expect(act).toMatchObject({ type: 'post.created', clientRequestId: id });
    expect(act?.requestId).toMatch(made);
    expect(JSON.stringify([...answer.headers, answer.body])).not.toContain(act?.requestId);
  });

  it("of an operator's act", async () => {
    const id = `ops-${randomUUID()}`;
    const authorization = `Bearer ${sharedTokenOf(readConfig(network.env))}`;
    const person = { handle: `p_${randomUUID().slice(0, 8)}`, displayName: 'P', email: 'p@example.org' };
    const answer = await fetch(`${operatorUrl}/operator/accounts`, {
      method: 'POST',
      headers: { authorization, 'content-type': 'application/json', 'x-request-id': id },
      body: JSON.stringify({ ...person, password: 'correct horse battery' }),
    });
    expect([answer.status, answer.headers.get('x-request-id')]).toEqual([201, id]);
    expect((await found(id)).map(({ type }) => type)).toContain('account.registered');
  });
});

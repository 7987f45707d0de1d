import { once } from 'node:events';
import { createServer, request as httpRequest } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { connect } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { ProcessMetrics } from '../base/telemetry/process-metrics.js';
import { endWork, shedOverload } from './overload.js';
import { Operations } from './operations.js';
import { prepareRefusals } from './overload-refusals.js';

const MOST = 8;

let server: Server;
let port: number;
let metrics: ProcessMetrics;
/** Answers that wait for {@link answerAll}. */
let inWork: ServerResponse[];
let sockets: Socket[];

beforeEach(async () => {
  inWork = [];
  sockets = [];
  metrics = new ProcessMetrics();
  server = createServer((request, response) => {
    request.resume();
    inWork.push(response);
  });
  shedOverload(server, {
    most: MOST,
    addressOf: ({ headers }) => String(headers['x-from'] ?? 'here'),
    refusalOf: prepareRefusals(
      { 'strict-transport-security': 'max-age=1' },
      { headers: { 'content-type': 'text/html; charset=utf-8' }, html: '<p>busy</p>' },
      new Operations([{ method: 'get', path: '/api/posts/{id}' }]),
    ),
    metrics,
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  ({ port } = server.address() as AddressInfo);
});

afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  server.close();
  server.closeAllConnections();
  await once(server, 'close');
});

interface Asked {
  readonly method?: string;
  readonly from?: string;
  readonly headers?: Record<string, string>;
}

async function ask(path: string, { method = 'GET', from = 'here', headers = {} }: Asked = {}) {
  const sent = httpRequest({ port, method, path, headers: { 'x-from': from, ...headers }, agent: false });
  sent.end();
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  return {
    status: response.statusCode,
    headers: response.headers,
    body: await text(response),
  };
}

/** Begins requests and waits until they are in work. */
async function begin(count: number, path: string, asked: Asked = {}): Promise<void> {
  const before = inWork.length;
  const answers = Array.from({ length: count }, () => ask(path, asked));
  for (const answer of answers) answer.catch(() => undefined);
  while (inWork.length < before + count) await once(server, 'request');
}

const answerAll = (): void => {
  for (const response of inWork.splice(0)) response.end('done');
};

/** `taken`: in work afterwards. Else the status and code of the refusal. */
async function outcome(path: string, asked: Asked = {}): Promise<string> {
  const before = inWork.length;
  const answer = ask(path, asked);
  answer.catch(() => undefined);
  await once(server, 'request');
  if (inWork.length > before) return 'taken';
  const { status, body } = await answer;
  return `${status} ${(JSON.parse(body) as { error: string }).error}`;
}

/** Fills a class from two addresses, as each has at most its share. */
async function fill(path: string, asked: Asked = {}): Promise<void> {
  await begin(MOST / 2, path, { ...asked, from: 'one' });
  await begin(MOST / 4, path, { ...asked, from: 'two' });
  await begin(MOST / 4, path, { ...asked, from: 'three' });
}

const write: Asked = { method: 'POST' };

it('refuses what comes while too much of its class is in work, and takes it again after', async () => {
  await fill('/api/posts', write);
  expect(await outcome('/api/posts', write)).toBe('503 domain_storage_unavailable');
  answerAll();
  await begin(MOST / 2, '/api/posts', write);
});

it.each([
  ['POST', '/api/posts', 'mutation', 'domain_storage_unavailable'],
  ['PUT', '/api/relations/follow/a', 'mutation', 'domain_storage_unavailable'],
  ['GET', '/api/timeline?limit=50', 'page', 'protected_read_unavailable'],
  ['GET', '/api/posts/p/replies', 'page', 'protected_read_unavailable'],
  ['GET', '/api/actors?ids=a,b', 'page', 'protected_read_unavailable'],
  ['GET', '/api/posts/p', 'row', 'protected_read_unavailable'],
  ['POST', '/api/intents/lookup', 'row', 'protected_read_unavailable'],
  ['POST', '/api/auth/oauth2/token', 'authorization', 'temporarily_unavailable'],
  ['POST', '/api/auth/account/sign-in', 'authorization', 'auth_unavailable'],
  ['POST', '/api/auth/account/second-step', 'authorization', 'auth_unavailable'],
  ['POST', '/api/auth/account/recovery', 'authorization', 'auth_unavailable'],
  ['GET', '/api/auth/account/recovery/link?token=x', 'authorization', 'auth_unavailable'],
  ['GET', '/api/auth/account/history', 'authorization', 'auth_unavailable'],
  ['POST', '/api/auth/account/data', 'authorization', 'auth_unavailable'],
  ['POST', '/api/auth/account/appeal/data', 'authorization', 'auth_unavailable'],
  ['DELETE', '/api/posts/p', 'restriction', 'domain_storage_unavailable'],
  ['PUT', '/api/blocks/a', 'restriction', 'domain_storage_unavailable'],
  ['POST', '/api/reports', 'restriction', 'domain_storage_unavailable'],
  ['POST', '/api/auth/oauth2/revoke', 'restriction', 'temporarily_unavailable'],
  ['POST', '/api/auth/account/sign-out', 'restriction', 'auth_unavailable'],
] as const)('counts %s %s as %s, and refuses it with %s', async (method, path, kind, code) => {
  await fill(path, { method });
  expect(await outcome(path, { method })).toBe(`503 ${code}`);
  expect(await metrics.registry.metrics()).toContain(
    `plaza_shed_requests_total{request_class="${kind}",http_request_method="${method}"} 1`,
  );
});

it('takes restrictions and sign-out while everything else is full', async () => {
  for (const path of ['/api/timeline', '/api/profile', '/api/auth/jwks']) await fill(path);
  await fill('/api/posts', write);
  expect(await outcome('/api/posts/p', { method: 'DELETE' })).toBe('taken');
  expect(await outcome('/api/auth/oauth2/end-session')).toBe('taken');
});

it('never refuses the probe that decides on a restart', async () => {
  await fill('/livez');
  expect(await outcome('/livez')).toBe('taken');
});

it('answers in the form of other refusals', async () => {
  await fill('/api/posts', write);
  const { status, headers, body } = await ask('/api/posts', {
    ...write,
    headers: { 'x-request-id': 'mine' },
  });
  expect([status, JSON.parse(body)]).toEqual([
    503,
    {
      error: 'domain_storage_unavailable',
      message: expect.stringContaining('Nothing was written; retry later with the same intentId.'),
    },
  ]);
  expect(headers).toMatchObject({
    'retry-after': '2',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'content-type': 'application/json; charset=utf-8',
    'content-length': String(Buffer.byteLength(body)),
    'strict-transport-security': 'max-age=1',
    'x-request-id': 'mine',
  });
  expect(await metrics.registry.metrics()).toContain(
    'plaza_refusals_total{code="domain_storage_unavailable",written="no"} 1',
  );
});

it.each(['/api/auth/oauth2/authorize', '/', '/api/posts', '/api/posts/x/y'])(
  'shows a page to a browser: %s',
  async (path) => {
    await fill(path);
    const { status, body, headers } = await ask(path, { headers: { accept: 'text/html,*/*' } });
    expect([status, body, headers['content-type'], headers['vary']]).toEqual([
      503,
      '<p>busy</p>',
      'text/html; charset=utf-8',
      'Accept',
    ]);
  },
);

it.each(['GET', 'HEAD'])('answers an operation of the document with an Error object: %s', async (method) => {
  await fill('/api/posts/x');
  const { status, headers } = await ask('/api/posts/x?y', { method, headers: { accept: 'text/html' } });
  expect([status, headers['content-type'], headers['vary']]).toEqual([
    503,
    'application/json; charset=utf-8',
    undefined,
  ]);
});

describe('from half of the bound on', () => {
  it('an address alone gets no more, and others do', async () => {
    await begin(MOST / 2, '/api/profile', { from: 'one' });
    expect(await outcome('/api/profile', { from: 'one' })).toBe('503 protected_read_unavailable');
    expect(await outcome('/api/profile', { from: 'two' })).toBe('taken');
  });

  it('networks of IPv6 addresses count as one', async () => {
    await begin(MOST / 2, '/api/profile', { from: '2001:db8::1' });
    expect(await outcome('/api/profile', { from: '2001:db8::2' })).toBe('503 protected_read_unavailable');
  });
});

describe('a request is no longer in work', () => {
  const full = () => begin(MOST / 2, '/api/events');

  it('once its event stream has begun', async () => {
    await full();
    for (const response of inWork) endWork(response);
    expect(await outcome('/api/events')).toBe('taken');
  });

  it('once its client is gone, even if it waits for an earlier answer of its connection', async () => {
    const socket = connect(port, '127.0.0.1');
    sockets.push(socket);
    socket.write('GET /api/events HTTP/1.1\r\nhost: a\r\n\r\n'.repeat(MOST / 2));
    while (inWork.length < MOST / 2) await once(server, 'request');
    expect(await outcome('/api/events')).toBe('503 protected_read_unavailable');
    const closed = once(inWork[0]?.req.socket ?? server, 'close');
    socket.destroy();
    await closed;
    expect(await outcome('/api/events')).toBe('taken');
  });

  it('while its body is on its way', async () => {
    const head = 'POST /api/posts HTTP/1.1\r\nhost: a\r\ncontent-length: 2\r\n\r\n';
    sockets = Array.from({ length: MOST / 2 }, () => connect(port, '127.0.0.1'));
    for (const socket of sockets) socket.write(head);
    while (inWork.length < MOST / 2) await once(server, 'request');
    await new Promise(setImmediate);
    expect(await outcome('/api/posts', write)).toBe('taken');
    const [socket, response] = [sockets[0], inWork[0]];
    const arrived = once(response?.req ?? server, 'end');
    socket?.write('{}');
    await arrived;
    await begin(MOST / 2 - 2, '/api/posts', write);
    expect(await outcome('/api/posts', write)).toBe('503 domain_storage_unavailable');
  });
});

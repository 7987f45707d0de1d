import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { registerApplication, send } from '../support/api.js';
import { personWithToken } from '../support/people.js';
import type { SignedIn } from '../support/api.js';
import { sharedNetwork } from '../support/shared-network.js';
import type { SharedNetwork } from '../support/shared-network.js';

let network: SharedNetwork;
let alice: SignedIn;

beforeAll(async () => {
  network = await sharedNetwork();
  const scope = 'openid read block:read block:write relation:write post:edit';
  alice = await personWithToken(network, await registerApplication(network), scope);
});

/** Sends bytes that client libraries refuse to send. */
async function sendHead(head: string): Promise<{ status: number; body: unknown }> {
  const { host, port } = new URL(network.baseUrl);
  const socket = connect(Number(port), '127.0.0.1');
  socket.write(`${head.replaceAll('HOST', host)}\r\n\r\n`);
  const answer = await text(socket);
  return {
    status: Number(answer.slice(9, 12)),
    body: JSON.parse(answer.slice(answer.indexOf('\r\n\r\n'))),
  };
}

const LARGE = `X-Large: ${'x'.repeat(20_000)}`;

describe('a malformed request is refused in the error format of its path:', () => {
  it.each([
    ['bytes that are not HTTP', 'this is no HTTP', 'message', 'not a well-formed'],
    ['too large headers', `GET /api/profile HTTP/1.1\r\nHost: HOST\r\n${LARGE}`, 'message', '16 KiB'],
    [
      'a malformed Content-Length',
      'POST /api/posts HTTP/1.1\r\nHost: HOST\r\nContent-Length: x',
      'message',
      'not a',
    ],
    [
      'an address that is no UTF-8',
      'GET /api/actors/%ff HTTP/1.1\r\nHost: HOST\r\nConnection: close',
      'message',
      'not UTF-8',
    ],
    ['CONNECT', 'CONNECT HOST HTTP/1.1\r\nHost: HOST', 'message', 'no proxy'],
    [
      'too large headers to an OAuth path',
      `POST /api/auth/oauth2/token HTTP/1.1\r\nHost: HOST\r\n${LARGE}`,
      'error_description',
      '16 KiB',
    ],
    [
      'a malformed Content-Length to an OAuth path',
      'POST /api/auth/oauth2/revoke HTTP/1.1\r\nHost: HOST\r\nContent-Length: x',
      'error_description',
      'not a well-formed',
    ],
  ])('%s', async (_what, head, wording, words) => {
    const { status, body } = await sendHead(head);
    expect([status, body]).toEqual([
      400,
      { error: 'invalid_request', [wording]: expect.stringContaining(words) },
    ]);
  });
});

it('a mutation is never answered with the refusal of the bytes behind it', async () => {
  const body = JSON.stringify({ intentId: 'before-garbage' });
  const head = [
    `PUT /api/blocks/${alice.actorId} HTTP/1.1`,
    `Host: ${new URL(network.baseUrl).host}`,
    `Authorization: Bearer ${alice.token}`,
    'Content-Type: application/json',
    `Content-Length: ${body.length}`,
  ];
  const socket = connect(Number(new URL(network.baseUrl).port), '127.0.0.1');
  socket.write(`${head.join('\r\n')}\r\n\r\n${body}this is no HTTP\r\n\r\n`);
  expect(await text(socket).catch(() => '')).toBe('');
});

describe('an empty id is answered as an unknown one', () => {
  it.each([
    ['GET', '/api/posts/', 404, 'post_unavailable'],
    ['GET', '/api/posts//replies', 404, 'post_unavailable'],
    ['GET', '/api/actors/', 404, 'not_found'],
    ['GET', '/api/actors//following?limit=1', 404, 'not_found'],
    ['DELETE', '/api/blocks/?intentId=empty', 404, 'not_found'],
    ['PUT', '/api/blocks/', 404, 'not_found'],
    ['PUT', '/api/relations/follow/', 403, 'interaction_unavailable'],
    ['PUT', '/api/relations//', 404, 'not_found'],
  ] as const)('%s %s', async (method, path, status, error) => {
    const body = method === 'PUT' ? { intentId: 'empty' } : undefined;
    const headers = { authorization: `Bearer ${alice.token}` };
    const answer = await send(network.baseUrl, method, path, { headers, ...(body && { body }) });
    expect([answer.status, answer.body.error]).toEqual([status, error]);
  });
});

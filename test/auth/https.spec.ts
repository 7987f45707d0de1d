import { once } from 'node:events';
import { request } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startAuthNetwork } from './support/auth-network.js';
import type { AuthNetwork } from './support/auth-network.js';

const host = 'plaza.example';
const HEADER = 'strict-transport-security';

let network: AuthNetwork;

beforeAll(async () => {
  network = await startAuthNetwork();
});

afterAll(() => network.stop());

/** Sends a request like a proxy on behalf of a browser. */
async function ask(path: string, headers: Record<string, string> = {}, method = 'GET') {
  const { port } = network.config;
  const asked = request({ host: '127.0.0.1', port, path, method, headers: { host, ...headers } }).end();
  const [response] = (await once(asked, 'response')) as [IncomingMessage];
  return { status: response.statusCode, headers: response.headers, body: await text(response) };
}

async function sendBytes(bytes: string): Promise<string> {
  const socket = connect(network.config.port, '127.0.0.1');
  socket.end(bytes);
  return text(socket);
}

const answers = [
  ['of the authorization server', '/api/auth/.well-known/openid-configuration', 200],
  ['of a refused authorization request', '/api/auth/oauth2/authorize/unknown', 400],
  ['of a page', '/api/auth/interaction/unknown', 400],
  ['at an unknown address', '/api/nothing', 404],
  ['at a malformed address', '/%zz', 400],
] as const;

describe('behind https', () => {
  beforeAll(() => network.restartServer({ BASE_URL: `https://${host}` }));

  it.each(answers)('an answer %s has Strict-Transport-Security', async (_what, path, status) => {
    const answer = await ask(path);
    expect(answer.status).toBe(status);
    expect(answer.headers[HEADER]).toBe('max-age=63072000');
  });

  it('so has a refusal of the host, the method, the application, or of bytes that are not HTTP', async () => {
    const refused = [
      await ask('/api/auth/jwks', { host: 'evil.example' }),
      await ask('/api/auth/jwks', {}, 'DELETE'),
      await ask('/api/auth/oauth2/token', {}, 'POST'),
    ];
    expect(refused.every(({ status }) => status !== 200)).toBe(true);
    expect(refused.map(({ headers }) => headers[HEADER])).toEqual(Array(3).fill('max-age=63072000'));
    expect(await sendBytes('what\r\n\r\n')).toContain(`${HEADER}: max-age=63072000\r\n`);
  });
});

describe('behind http', () => {
  beforeAll(() => network.restartServer({ BASE_URL: `http://${host}` }));

  it.each(answers)('an answer %s has no Strict-Transport-Security', async (_what, path, status) => {
    const answer = await ask(path);
    expect(answer.status).toBe(status);
    expect(answer.headers[HEADER]).toBeUndefined();
  });
});

describe('a trusted proxy', () => {
  beforeAll(() => network.restartServer({ BASE_URL: `https://${host}`, TRUSTED_PROXIES: '127.0.0.1' }));

  it('is trusted for the client’s address, and for no other forwarded header', async () => {
    const forwarded = {
      'x-forwarded-for': '203.0.113.9',
      'x-forwarded-host': 'evil.example',
      'x-forwarded-proto': 'http',
      forwarded: 'for=203.0.113.9;host=evil.example;proto=http',
    };
    const { body } = await ask('/api/auth/.well-known/openid-configuration', forwarded);
    expect(body).toContain(`"issuer":"https://${host}/api/auth"`);
    expect(body).not.toContain('evil.example');
    expect(body).not.toContain('http://');
    const redirected = await ask('/api/auth/jwks', {
      ...forwarded,
      host: 'evil.example',
      'x-forwarded-host': host,
    });
    expect(redirected.status).toBe(403);
  });
});

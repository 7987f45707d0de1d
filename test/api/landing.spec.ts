import { once } from 'node:events';
import { METHODS, request } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { send } from '../support/api.js';
import { sharedNetwork } from '../support/shared-network.js';
import type { SharedNetwork } from '../support/shared-network.js';

let network: SharedNetwork;

beforeAll(async () => {
  network = await sharedNetwork();
});

/** Status, and the header Allow, of a request under this name of the host. */
async function answerTo(method: string, path: string, host = new URL(network.baseUrl).host) {
  const { port } = new URL(network.baseUrl);
  const asked = request({ host: '127.0.0.1', port, method, path, headers: { host, connection: 'close' } });
  asked.end();
  const [response] = (await once(asked, 'response')) as [IncomingMessage];
  response.resume();
  return [response.statusCode, response.headers.allow];
}

describe('GET /', () => {
  it('is a page without scripts that takes nothing from elsewhere, and is not kept', async () => {
    const answer = await fetch(`${network.baseUrl}/`);
    const header = (name: string) => answer.headers.get(name);
    expect([answer.status, header('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(header('content-security-policy')).toMatch(
      /^default-src 'none'; style-src 'sha256-[^']+' 'sha256-[^']+'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'$/,
    );
    expect(['cache-control', 'x-content-type-options', 'referrer-policy'].map(header)).toEqual([
      'no-store',
      'nosniff',
      'same-origin',
    ]);
    const page = await answer.text();
    expect(page).not.toMatch(/<script|<link (?!rel="icon")|<img|<iframe|\bsrc=|@import|url\(/i);
  });

  it('leads on, and each of its links works', async () => {
    const page = await (await fetch(`${network.baseUrl}/`)).text();
    const links = [...page.matchAll(/href="([^"]+)"/g)].map(
      ([, href = '']) => new URL(href, network.baseUrl).href,
    );
    expect(links.map((href) => href.replace(network.baseUrl, ''))).toEqual([
      '/icon.svg',
      '/',
      '/api/auth/account/sign-up',
      '/api/auth/account',
      '/docs/guide',
      '/docs',
      '/api/openapi.json',
      '/api/auth/.well-known/openid-configuration',
      '/readyz',
    ]);
    const answers = await Promise.all(links.map((href) => fetch(href)));
    expect(answers.map(({ status }) => status)).toEqual(links.map(() => 200));
  });

  it('is as it is with a query, a credential or an origin', async () => {
    const page = await (await fetch(`${network.baseUrl}/`)).text();
    const headers = { authorization: 'Bearer nonsense', origin: 'https://evil.example' };
    expect(await (await fetch(`${network.baseUrl}/?x=<script>`, { headers })).text()).toBe(page);
  });

  it('is answered under every name of the host, as the reference at /docs is', async () => {
    for (const path of ['/', '/docs'])
      expect(await answerTo('GET', path, 'evil.example')).toEqual([200, undefined]);
  });

  it('takes HEAD, and no other method', async () => {
    const head = await fetch(`${network.baseUrl}/`, { method: 'HEAD' });
    expect([head.status, head.headers.get('content-type'), await head.text()]).toEqual([
      200,
      'text/html; charset=utf-8',
      '',
    ]);
    const others = METHODS.filter((method) => !['GET', 'HEAD', 'CONNECT'].includes(method));
    const answers = await Promise.all(others.map((method) => answerTo(method, '/')));
    expect(answers).toEqual(others.map(() => [405, 'GET, HEAD']));
    expect((await send(network.baseUrl, 'POST', '/', { body: {} })).body.error).toBe('invalid_request');
  });

  it('leaves unknown addresses to say in JSON that they are', async () => {
    for (const path of ['/nothing', '/index.html', '//', '/%20', '/api', '/api/'])
      expect(await (await fetch(network.baseUrl + path)).json()).toEqual({
        error: 'not_found',
        message: 'There is nothing at this address.',
      });
  });
});

it('the icon is a file that is kept for a day', async () => {
  const answer = await fetch(`${network.baseUrl}/icon.svg`);
  expect(
    ['content-type', 'cache-control', 'x-content-type-options'].map((name) => answer.headers.get(name)),
  ).toEqual(['image/svg+xml', 'max-age=86400', 'nosniff']);
  expect(await answer.text()).toMatch(/^<svg /);
});

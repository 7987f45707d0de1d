import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { plazaClient } from '../../client/client.ts';
import { HttpModule } from '../../src/doors/api/http.module.js';
import { documentOf } from '../../src/doors/api/openapi/document.js';
import { operationsOf } from '../../src/doors/api/openapi/openapi.js';
import { registerApplication, send } from '../support/api.js';
import { personWithToken } from '../support/people.js';
import type { SignedIn } from '../support/api.js';
import { sharedNetwork } from '../support/shared-network.js';
import type { SharedNetwork } from '../support/shared-network.js';

let network: SharedNetwork;
let ada: SignedIn;

beforeAll(async () => {
  network = await sharedNetwork();
  ada = await personWithToken(network, await registerApplication(network));
});

describe('/api/openapi.json', () => {
  it('is the document of this network, for everybody', async () => {
    const { status, headers, body } = await send(network.baseUrl, 'GET', '/api/openapi.json');
    expect([status, headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8']);
    expect(body).toEqual(JSON.parse(JSON.stringify(documentOf(HttpModule, network.baseUrl))));
  });

  it('has no operation that the network does not know', async () => {
    const answers = await Promise.all(
      operationsOf(documentOf(HttpModule, network.baseUrl)).map(async ({ path, method }) => {
        const { status, body } = await send(
          network.baseUrl,
          method.toUpperCase(),
          path.replaceAll(/[{}]/g, ''),
        );
        return {
          operation: `${method} ${path}`,
          status,
          message: body?.message ?? body?.error_description,
        };
      }),
    );
    const missing = answers.filter(
      ({ status, message }) => status === 405 || message === 'There is nothing at this address.',
    );
    expect(missing).toEqual([]);
  });

  it('refuses other methods', async () => {
    const { status, headers } = await send(network.baseUrl, 'POST', '/api/openapi.json', { body: {} });
    expect([status, headers.get('allow')]).toEqual([405, 'GET, HEAD']);
  });
});

describe.each(['/api/openapi.json', '/docs'])('%s', (path) => {
  const ask = (headers: Record<string, string> = {}, method = 'GET') =>
    fetch(`${network.baseUrl}${path}`, { method, headers });

  it('may be kept for a minute, and is not sent again to a client that has it', async () => {
    const first = await ask();
    const etag = first.headers.get('etag') ?? '';
    expect(etag).toMatch(/^"[\w-]{43}"$/);
    expect(first.headers.get('cache-control')).toBe('max-age=60');
    const length = Buffer.byteLength(await first.text());
    for (const held of [etag, `"x", W/${etag}`, '*']) {
      const again = await ask({ 'if-none-match': held });
      expect([again.status, again.headers.get('etag'), await again.text()]).toEqual([304, etag, '']);
    }
    expect((await ask({ 'if-none-match': '"x"' })).status).toBe(200);
    const head = await ask({}, 'HEAD');
    expect([head.status, head.headers.get('content-length')]).toEqual([200, String(length)]);
  });
});

describe('/docs', () => {
  it('is a page without scripts or external resources', async () => {
    const answer = await fetch(`${network.baseUrl}/docs`);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(answer.headers.get('content-security-policy')).toMatch(/^default-src 'none'; style-src 'sha256-/);
    const page = await answer.text();
    expect(page).not.toMatch(/<script|<link|<img|<iframe|\bsrc=|@import|url\(/i);
  });
});

describe('the typed client', () => {
  it('sends valid requests, and reads their answers', async () => {
    const written = await ada.client.POST('/api/posts', {
      body: { intentId: randomUUID(), text: 'Typed', audience: 'public' },
    });
    const id = written.data?.post.id ?? '';
    const { data } = await ada.client.GET('/api/posts/{id}', { params: { path: { id } } });
    expect(data?.post).toMatchObject({ text: 'Typed', authorActorId: ada.actorId });
  });

  it('returns refusals with their codes', async () => {
    const { error, response } = await ada.client.GET('/api/posts/{id}', { params: { path: { id: 'none' } } });
    expect([response.status, error?.error]).toEqual([404, 'post_unavailable']);
  });

  it('is anonymous without a token, and calls its token function for each request', async () => {
    const nobody = await plazaClient(network.baseUrl).GET('/api/profile');
    expect([nobody.response.status, nobody.error?.error]).toEqual([401, 'authentication_required']);
    const tokens = ['nonsense', ada.token];
    const refreshing = plazaClient(network.baseUrl, () => tokens.shift() ?? '');
    const answers = [await refreshing.GET('/api/session'), await refreshing.GET('/api/session')];
    expect(answers.map(({ response }) => response.status)).toEqual([401, 200]);
  });
});

import { createHash, randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { plazaClient } from '../../client/client.ts';
import { HttpModule } from '../../src/doors/api/http.module.js';
import { documentOf } from '../../src/doors/api/openapi/document.js';
import { operationsOf } from '../../src/doors/api/openapi/openapi.js';
import { publishedDomainCodes } from '../../src/server/domain-codes.js';
import { oauthCodes } from '../../src/server/oauth-codes.js';
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

describe.each(['/api/openapi.json', '/docs', '/docs/guide', '/docs/operations/createPost'])('%s', (path) => {
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
  const pageAt = async (path: string) => {
    const answer = await fetch(network.baseUrl + path);
    return { status: answer.status, headers: answer.headers, text: await answer.text() };
  };

  it.each(['', '/guide', '/errors', '/schemas', '/all', '/operations/createPost'])(
    'has a page without external resources, whose one script its policy admits: /docs%s',
    async (path) => {
      const { status, headers, text } = await pageAt(`/docs${path}`);
      expect([status, headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
      const [, script = '', ...more] = text.split(/<script>|<\/script>/).slice(0, -1);
      expect([more, text.match(/<script/g)]).toEqual([[], ['<script']]);
      const policy = (headers.get('content-security-policy') ?? '').split('; ');
      expect(policy).toEqual(expect.arrayContaining(["default-src 'none'", "base-uri 'none'"]));
      const digest = createHash('sha256').update(script).digest('base64');
      expect(policy.filter((each) => each.startsWith('script-src'))).toEqual([
        `script-src 'sha256-${digest}'`,
      ]);
      expect(text).not.toMatch(/<link rel="stylesheet|<img|<iframe|\bsrc=|@import|url\(|\bstyle=|\son\w+=/i);
    },
  );

  it('has a page for each operation, and no link that leads nowhere', async () => {
    const pages = new Map<string, { ids: readonly string[]; links: readonly string[] }>();
    const open = ['/docs'];
    for (const path of open) {
      const { status, text } = await pageAt(path);
      expect([path, status]).toEqual([path, 200]);
      const ids = [...text.matchAll(/\sid="([^"]+)"/g)].map(([, id = '']) => id);
      expect([path, ids.filter((id, at) => ids.indexOf(id) < at)]).toEqual([path, []]);
      const links = [...text.matchAll(/<a[^>]* href="([^"]+)"/g)]
        .map(([, href = '']) => (href.startsWith('#') ? path + href : href))
        .filter((href) => /^\/docs\b/.test(href));
      pages.set(path, { ids, links });
      open.push(...new Set(links.map((href) => href.split('#')[0] ?? '').filter((to) => !open.includes(to))));
    }
    const broken = [...pages.values()]
      .flatMap(({ links }) => links)
      .filter((href) => {
        const [to = '', id] = href.split('#');
        return id !== undefined && !pages.get(to)?.ids.includes(id);
      });
    expect(broken).toEqual([]);
    const served = operationsOf(documentOf(HttpModule, network.baseUrl)).map(
      ({ operation }) => `/docs/operations/${operation.operationId}`,
    );
    expect([...pages.keys()]).toEqual(expect.arrayContaining(served));
  });

  it('has all of it on one page, which needs no other', async () => {
    const { text } = await pageAt('/docs/all');
    const [, content = ''] = text.split('<div id="content"');
    const document = documentOf(HttpModule, network.baseUrl);
    for (const { path, operation } of operationsOf(document)) {
      expect(content).toContain(`id="${operation.operationId}"`);
      expect(content).toContain(`<code>${path}</code>`);
    }
    for (const name of Object.keys(document.components.schemas))
      expect(content).toContain(`id="schema-${name}"`);
    expect(content.match(/href="\/docs\/(?!guide)[^"]*"/g)).toBeNull();
  });

  it('names each code with its cause, its remedy and its operations', async () => {
    const { text } = await pageAt('/docs/errors');
    const entryOf = (id: string) => new RegExp(`<div id="${id}">(.*?)<div id=`, 's').exec(text)?.[1] ?? '';
    for (const code of publishedDomainCodes) expect([code, entryOf(`code-${code}`)]).not.toEqual([code, '']);
    for (const code of oauthCodes) expect(text).toContain(`<div id="oauth-${code}">`);
    expect(entryOf('code-capability_required')).toMatch(
      /The grant lacks the scope.*a grant never gets more scopes.*\/docs\/operations\/createPost/s,
    );
    expect(entryOf('oauth-access_denied')).toContain('The person refused.');
    const entries = [...text.matchAll(/<div id="([^"]+)">\s*<dt>.*?<dd>(.*?)<\/dd>/gs)];
    expect(entries).toHaveLength(publishedDomainCodes.length + oauthCodes.length + 3);
    expect(
      entries.filter(([, , entry = '']) => !entry.includes('<p class="quiet">')).map(([, id]) => id),
    ).toEqual([]);
    expect(text).not.toMatch(/as above|see below/i);
    expect(entryOf('code-post_deleted')).not.toContain('handle');
    expect(entryOf('code-effect_mismatch')).not.toContain('deleted');
  });

  it.each(['/docs/operations/none', '/docs/none', '/docs/none/more'])('has nothing at %s', async (path) => {
    expect((await pageAt(path)).status).toBe(404);
  });

  it.each(['', '/guide', '/operations/createPost'])(
    'leads from a slash at the end to the page: %s/',
    async (path) => {
      const answer = await fetch(`${network.baseUrl}/docs${path}/?a=b`, { redirect: 'manual' });
      expect([answer.status, answer.headers.get('location')]).toEqual([301, `/docs${path}?a=b`]);
    },
  );
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

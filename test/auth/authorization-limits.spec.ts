import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type * as oidc from 'openid-client';
import { SignInLimits } from '../../src/doors/auth/sign-in/sign-in-limits.js';
import { startAuthNetwork } from './support/auth-network.js';
import type { AuthNetwork } from './support/auth-network.js';
import { authorizationRequest, discover } from './support/flow.js';
import { send } from './support/raw.js';
import type { RawAnswer } from './support/raw.js';
import { Visitor } from './support/visitor.js';
import type { PageAnswer } from './support/visitor.js';

let network: AuthNetwork;
let client: oidc.Configuration;

beforeAll(async () => {
  network = await startAuthNetwork();
  client = await discover(network, await network.registerApplication());
  // A server remembers an address without budget, so each test has its own.
  await network.restartServer({ TRUSTED_PROXIES: '127.0.0.1' });
});

afterAll(() => network?.stop());

let addresses = 0;
let address: string;

beforeEach(() => {
  address = `198.51.100.${++addresses}`;
});

const countOf = async (table: string) => {
  const { rows } = await network
    .database()
    .pool.query<{ count: number }>(`SELECT count(*)::int FROM ${table}`);
  return rows[0]?.count;
};

/** Uses up the limit of this test's address. */
async function useUp(): Promise<void> {
  const limits = network.app().get(SignInLimits);
  while ((await limits.takeAuthorization(address)).allowed);
}

const acceptHtml = ['accept', 'text/html'] as const;

const get = (path: string, ...headers: readonly (readonly [string, string])[]): Promise<RawAnswer> =>
  send(network, { path, headers: [['x-forwarded-for', address], ...headers] });

async function requestPath(): Promise<string> {
  const { url } = await authorizationRequest(client, 'read');
  return `${url.pathname}${url.search}`;
}

describe('front-channel requests', () => {
  it('share 600 in ten minutes between authorization and end-session, and return the remaining number', async () => {
    const asked = await get(await requestPath());
    expect(asked.headers['ratelimit-policy']).toBe('"authorization";q=600;w=600');
    expect(asked.headers['ratelimit']).toMatch(/^"authorization";r=599;t=(600|5\d\d)$/);
    const out = await get('/api/auth/oauth2/end-session');
    expect([out.status, out.headers['ratelimit']]).toEqual([303, expect.stringContaining('r=598;')]);
  });

  it.each(['authorization', 'end-session'])(
    'to %s store nothing once the limit is reached',
    async (which) => {
      const path = which === 'authorization' ? await requestPath() : '/api/auth/oauth2/end-session';
      await useUp();
      // The server remembers the refusal, and needs no statement.
      await network.database().pool.query('DELETE FROM limits.used');
      const before = await countOf('authority.oidc_record');
      const program = await get(path);
      expect([program.status, program.body]).toEqual([
        429,
        { error: 'pilot_rate_limited', error_description: expect.stringContaining('Please wait') },
      ]);
      expect(program.headers['retry-after']).toMatch(/^[1-9][0-9]*$/);
      const person = await get(path, acceptHtml);
      expect([person.status, person.headers['content-type']]).toEqual([429, 'text/html; charset=utf-8']);
      expect(person.text).toContain('Too many tries');
      expect(await countOf('authority.oidc_record')).toBe(before);
      expect(await countOf('limits.used')).toBe(0);
    },
  );

  it('count the pages and the redirects of an authorization, and are refused there before a lookup', async () => {
    const visitor = new Visitor(network.baseUrl);
    const init = { headers: { 'x-forwarded-for': address } };
    const leftOf = ({ headers }: PageAnswer) => headers.get('ratelimit')?.match(/r=\d+/)?.[0];
    const asked = await visitor.request(network.baseUrl + (await requestPath()), init);
    const page = new URL(asked.headers.get('location') ?? '', network.baseUrl).href;
    const resume = page.replace('/interaction/', '/oauth2/authorize/');
    const first = [asked, await visitor.request(page, init), await visitor.request(`${page}/sign-up`, init)];
    expect(first.map((answer) => [answer.status, leftOf(answer)])).toEqual([
      [303, 'r=599'],
      [200, 'r=598'],
      [200, 'r=597'],
    ]);
    const resumed = await visitor.request(resume, init);
    expect([resumed.status, leftOf(resumed)]).toEqual([303, 'r=596']);
    await useUp();
    const before = await countOf('authority.oidc_record');
    for (const url of [page, `${page}/sign-up`, resume]) {
      const refused = await visitor.request(url, init);
      expect([refused.status, refused.text.includes('pilot_rate_limited')]).toEqual([429, true]);
      expect(refused.headers.get('retry-after')).toMatch(/^[1-9][0-9]*$/);
    }
    expect(await countOf('authority.oidc_record')).toBe(before);
  });

  it('are not counted if they cannot be parsed, and do not limit sign-in', async () => {
    await get('/api/auth/oauth2/authorize?state=%zz');
    const asked = await get(await requestPath());
    expect(asked.headers['ratelimit']).toContain('r=599;');
    await useUp();
    expect((await get('/api/auth/account', acceptHtml)).status).toBe(200);
  });
});

import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type * as oidc from 'openid-client';
import { SignInLimits } from '../../src/auth/sign-in/sign-in-limits.js';
import { startAuthNetwork } from './support/auth-network.js';
import type { AuthNetwork } from './support/auth-network.js';
import { authorizationRequest, discover } from './support/flow.js';
import { send } from './support/raw.js';

let network: AuthNetwork;
let client: oidc.Configuration;

beforeAll(async () => {
  network = await startAuthNetwork();
  client = await discover(network, await network.registerApplication());
});

afterAll(() => network.stop());

beforeEach(() => network.database().pool.query('DELETE FROM limits.used'));

const records = async () => {
  const { rows } = await network
    .database()
    .pool.query<{ count: number }>('SELECT count(*)::int FROM authority.oidc_record');
  return rows[0]?.count;
};

/** Uses up the limit of this test's address. */
async function useUp(): Promise<void> {
  const limits = network.app().get(SignInLimits);
  while ((await limits.takeAuthorization('127.0.0.1')).allowed);
}

const headers = [['accept', 'text/html']] as const;

describe('front-channel requests', () => {
  it('share 600 in ten minutes between authorization and end-session, and return the remaining number', async () => {
    const { url } = await authorizationRequest(client, 'read');
    const asked = await send(network, { path: `${url.pathname}${url.search}` });
    expect(asked.headers['ratelimit-policy']).toBe('"authorization";q=600;w=600');
    expect(asked.headers['ratelimit']).toMatch(/^"authorization";r=599;t=(600|5\d\d)$/);
    const out = await send(network, { path: '/api/auth/oauth2/end-session' });
    expect([out.status, out.headers['ratelimit']]).toEqual([303, expect.stringContaining('r=598;')]);
  });

  it.each(['authorization', 'end-session'])(
    'to %s store nothing once the limit is reached',
    async (which) => {
      const { url } = await authorizationRequest(client, 'read');
      const path =
        which === 'authorization' ? `${url.pathname}${url.search}` : '/api/auth/oauth2/end-session';
      await useUp();
      const before = await records();
      const program = await send(network, { path });
      expect([program.status, program.body]).toEqual([
        429,
        { error: 'pilot_rate_limited', error_description: expect.stringContaining('Please wait') },
      ]);
      expect(program.headers['retry-after']).toMatch(/^[1-9][0-9]*$/);
      const person = await send(network, { path, headers });
      expect([person.status, person.headers['content-type']]).toEqual([429, 'text/html; charset=utf-8']);
      expect(person.text).toContain('Too many tries');
      expect(await records()).toBe(before);
    },
  );

  it('are not counted if they cannot be parsed, and do not limit sign-in', async () => {
    await send(network, { path: '/api/auth/oauth2/authorize?state=%zz' });
    const { url } = await authorizationRequest(client, 'read');
    const asked = await send(network, { path: `${url.pathname}${url.search}` });
    expect(asked.headers['ratelimit']).toContain('r=599;');
    await useUp();
    expect((await send(network, { path: '/api/auth/account', headers })).status).toBe(200);
  });
});

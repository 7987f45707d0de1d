import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { streams } from '../../src/log/streams.js';
import type { AuthNetwork } from './support/auth-network.js';
import { ConnectingApplication } from './support/connecting-application.js';
import { send } from './support/raw.js';
import type { RawAnswer } from './support/raw.js';

let application: ConnectingApplication;
let network: AuthNetwork;

beforeAll(async () => {
  application = await ConnectingApplication.start('ada', 'bob', 'eve');
  ({ network } = application);
});

afterAll(() => network?.stop());

beforeEach(() => query('DELETE FROM limits.used'));

const connectAs = async (handle: string, scope?: string) => {
  const connected = await application.connect(handle, scope);
  await query('DELETE FROM limits.used');
  return connected;
};

const query = (sql: string) => network.database().pool.query(sql);
const points = async () =>
  (await query('SELECT points FROM limits.used')).rows.map((row: { points: number }) => row.points);
/** The number of events that the log has of the token's grant. */
async function recordedOf(token: string): Promise<number> {
  const held = 'SELECT grant_id FROM authority.oidc_record WHERE key_hash = sha256($1::bytea)';
  const { rows } = await network.database().pool.query<{ grant_id: string }>(held, [Buffer.from(token)]);
  return (await network.log().read(streams.grant(rows[0]?.grant_id ?? ''))).length;
}

const userinfo = (token: string) =>
  send(network, {
    path: '/api/auth/oauth2/userinfo',
    headers: [['authorization', `Bearer ${token}`]],
  });
const refresh = (token: string) =>
  application.post('token', { grant_type: 'refresh_token', refresh_token: token });

const budgetOf = ({ status, headers }: RawAnswer) => [
  status,
  headers['ratelimit-policy'],
  headers['ratelimit']?.toString().replace(/;t=[0-9]+$/, ''),
];

function expectRefusal({ status, headers, body }: RawAnswer, policy: string): void {
  expect([status, body]).toEqual([
    429,
    { error: 'pilot_rate_limited', error_description: expect.stringContaining('retry in') },
  ]);
  expect(headers['retry-after']).toMatch(/^[1-9][0-9]*$/);
  expect(headers['ratelimit']).toBe(`"${policy}";r=0;t=${headers['retry-after']}`);
}

describe('userinfo with a live token', () => {
  it('takes a point of the reads of its application and actor', async () => {
    // The process remembers that the budget of eve is used up.
    const [eve, bob] = [await connectAs('eve'), await connectAs('bob')];
    const policy = '"reads";q=3000;w=300';
    expect(budgetOf(await userinfo(eve.accessToken))).toEqual([200, policy, '"reads";r=2999']);
    await query('UPDATE limits.used SET points = 2999');
    expect(budgetOf(await userinfo(eve.accessToken))).toEqual([200, policy, '"reads";r=0']);
    expectRefusal(await userinfo(eve.accessToken), 'reads');
    expect(await points()).toEqual([3_000]);
    expect(budgetOf(await userinfo(bob.accessToken))).toEqual([200, policy, '"reads";r=2999']);
  });

  it('takes one without the scope openid too', async () => {
    const { accessToken } = await connectAs('ada', 'read');
    const refused = await userinfo(accessToken);
    expect(refused.body.error).toBe('capability_required');
    expect(await points()).toEqual([1]);
  });
});

describe('a refresh', () => {
  it('takes a point of its grant, 60 in five minutes; one more records nothing and keeps its token', async () => {
    const { refreshToken } = await connectAs('ada');
    const another = await connectAs('ada');
    const policy = '"refreshes";q=60;w=300';
    const first = await refresh(refreshToken);
    expect(budgetOf(first)).toEqual([200, policy, '"refreshes";r=59']);
    await query('UPDATE limits.used SET points = 59');
    const last = await refresh(first.body.refresh_token);
    expect(budgetOf(last)).toEqual([200, policy, '"refreshes";r=0']);
    const before = await recordedOf(last.body.refresh_token);
    expectRefusal(await refresh(last.body.refresh_token), 'refreshes');
    expect(await points()).toEqual([60]);
    expect(await recordedOf(last.body.refresh_token)).toBe(before);
    expect(budgetOf(await refresh(another.refreshToken))).toEqual([200, policy, '"refreshes";r=59']);
    await query('DELETE FROM limits.used');
    expect((await refresh(last.body.refresh_token)).status).toBe(200);
  });

  it('is not counted if it is refused', async () => {
    expect((await refresh('unknown')).status).toBe(400);
    expect(await points()).toEqual([]);
  });

  it('is refused, and keeps its token, while it cannot be counted', async () => {
    const { accessToken, refreshToken } = await connectAs('ada');
    await query('ALTER TABLE limits.used RENAME TO elsewhere');
    try {
      for (const { status, body, headers } of [await refresh(refreshToken), await userinfo(accessToken)]) {
        expect([status, body.error]).toEqual([503, 'pilot_limits_unavailable']);
        expect(headers['retry-after']).toMatch(/^[1-9][0-9]*$/);
      }
    } finally {
      await query('ALTER TABLE limits.elsewhere RENAME TO used');
    }
    expect((await refresh(refreshToken)).status).toBe(200);
  });
});

it('introspection and revocation have no window', async () => {
  const { accessToken } = await connectAs('ada');
  for (const endpoint of ['introspect', 'revoke'])
    expect(budgetOf(await application.post(endpoint, { token: accessToken }))).toEqual([
      200,
      undefined,
      undefined,
    ]);
  expect(await points()).toEqual([]);
});

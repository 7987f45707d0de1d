import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { operatorOf } from '../support/api.js';
import type { SignedIn } from '../support/api.js';
import type { ProcessRequest } from '../support/api-process.js';
import {
  expectRefusal,
  from,
  hasLimitHeaders,
  leftOf,
  LimitedNetwork,
  newAddress,
  policyOf,
  tally,
} from './support/limited-network.js';

const UNKNOWN_ACTOR = '/api/actors/nobody';
const actorsBy = (ids: number) => `/api/actors?ids=${Array(ids).fill('nobody').join()}`;

let limited: LimitedNetwork;

beforeAll(async () => {
  limited = await LimitedNetwork.start();
});
afterAll(() => limited?.stop());
beforeEach(() => limited.forgetCounts());

const ask: LimitedNetwork['ask'] = (...request) => limited.ask(...request);
const askOften: LimitedNetwork['askOften'] = (...request) => limited.askOften(...request);

describe('refused tokens', () => {
  const refusedFrom = (address: string, token = 'nobodys'): ProcessRequest => ({
    headers: { 'x-forwarded-for': address, authorization: `Bearer ${token}` },
  });
  /** Sets the remaining points of the address. */
  const leavePoints = (left: number) =>
    limited.query('UPDATE limits.used SET points = 6000 - $1::int', [left]);

  it.each([
    ['GET', '/api/session'],
    ['GET', UNKNOWN_ACTOR],
    ['POST', '/api/posts'],
  ])(
    'are limited to 6,000 in five minutes for each address, after which none is looked up: %s %s',
    async (method, path) => {
      const address = newAddress();
      const one = () => ask(0, path, refusedFrom(address), method);
      expect((await one()).status).toBe(401);
      await leavePoints(1);
      expect((await one()).status).toBe(401);
      // The process remembers the refusal, and needs no statement.
      await limited.forgetCounts();
      const refused = await one();
      expectRefusal(refused, 'refused');
      expect(policyOf(refused)).toBe('"refused";q=6000;w=300');
      expect((await limited.query('SELECT FROM limits.used')).rowCount).toBe(0);
      expect((await ask(0, path, refusedFrom(newAddress()), method)).status).toBe(401);
      expect((await ask(0, UNKNOWN_ACTOR, from(address))).status).toBe(404);
    },
  );

  it('do not block a token that this process has already accepted', async () => {
    const address = newAddress();
    const { token } = await limited.newPerson('openid read');
    const other = await limited.newPerson('openid read');
    expect((await ask(0, '/api/session', refusedFrom(address, token))).status).toBe(200);
    await limited.forgetCounts();
    expect((await ask(0, '/api/session', refusedFrom(address))).status).toBe(401);
    await leavePoints(0);
    expect((await ask(0, '/api/session', refusedFrom(address))).status).toBe(401);
    expect((await ask(0, '/api/session', refusedFrom(address, token))).status).toBe(200);
    expect((await ask(0, '/api/session', refusedFrom(address, other.token))).status).toBe(429);
    expect((await ask(0, '/api/session', refusedFrom(newAddress(), other.token))).status).toBe(200);
  });

  it('are counted across all processes', async () => {
    const address = newAddress();
    expect((await ask(0, '/api/session', refusedFrom(address))).status).toBe(401);
    await leavePoints(0);
    for (const process of [0, 1] as const) {
      expect((await ask(process, '/api/session', refusedFrom(address))).status).toBe(401);
      expect((await ask(process, '/api/session', refusedFrom(address))).status).toBe(429);
    }
  });

  it('do not include live tokens, which count for their own callers with or without the scope', async () => {
    const address = newAddress();
    const { token } = await limited.newPerson('openid read');
    expect((await ask(0, '/api/session', refusedFrom(address, token))).status).toBe(200);
    expect((await ask(0, '/api/posts', refusedFrom(address, token), 'POST')).status).toBe(403);
    // A lease of reads, and one of writes.
    const { rows } = await limited.query<{ points: number }>('SELECT points FROM limits.used');
    expect(rows.map(({ points }) => points).sort((a, b) => a - b)).toEqual([18, 50]);
  });
});

describe('reads without a token', () => {
  it('are limited to 120 a minute for each address, across all processes [limit-anonymous, limit-refusal, header-retry-after]', async () => {
    const address = newAddress();
    const answers = await askOften(150, UNKNOWN_ACTOR, () => from(address));
    expect(tally(answers)).toEqual({ 404: 120, 429: 30 });
    expectRefusal(await ask(0, UNKNOWN_ACTOR, from(address)), 'anonymous');
    expect((await ask(0, UNKNOWN_ACTOR, from(newAddress()))).status).toBe(404);
  });

  it('return the remaining number, also with an error', async () => {
    const answer = await ask(0, UNKNOWN_ACTOR, from(newAddress()));
    expect([answer.status, policyOf(answer)]).toEqual([404, '"anonymous";q=120;w=60']);
    expect(answer.headers['ratelimit']).toMatch(/^"anonymous";r=119;t=(60|[1-5]\d)$/);
    expect(answer.headers).not.toHaveProperty('retry-after');
  });

  it('of events and of whole views share 30 a minute, apart from other reads [limit-events, reconcile-budget]', async () => {
    const address = newAddress();
    const [views, pages] = await Promise.all(
      ['/api/reconcile', '/api/events'].map((path) => askOften(20, path, () => from(address))),
    );
    expect(tally([...(views ?? []), ...(pages ?? [])])).toEqual({ 200: 30, 429: 10 });
    const refused = await ask(1, '/api/reconcile', from(address));
    expectRefusal(refused, 'events');
    expect(policyOf(refused)).toBe('"events";q=30;w=60');
    expect(leftOf(await ask(0, UNKNOWN_ACTOR, from(address)))).toBe(119);
  });

  it('are counted together for the first 64 bits of an IPv6 address', async () => {
    expect(leftOf(await ask(0, UNKNOWN_ACTOR, from('2001:db8:9:1::1')))).toBe(119);
    expect(leftOf(await ask(1, UNKNOWN_ACTOR, from('2001:db8:9:1:ffff::2')))).toBe(118);
    expect(leftOf(await ask(1, UNKNOWN_ACTOR, from('2001:db8:9:2::1')))).toBe(119);
  });

  it('are counted by the peer address of the connection if no proxy is trusted', async () => {
    const readDirectly = (address: string) => limited.askDirectly(UNKNOWN_ACTOR, from(address));
    const first = leftOf(await readDirectly(newAddress()));
    expect(leftOf(await readDirectly(newAddress()))).toBe(first - 1);
  });

  it.each(['127.0.0.1', 'unknown', '203.0.113.9:4711', undefined])(
    'are refused if the proxy forwards the address %p',
    async (address) => {
      const answer = await ask(0, UNKNOWN_ACTOR, address === undefined ? {} : from(address));
      expect([answer.status, answer.body.error]).toEqual([503, 'trusted_address_unavailable']);
      expect(answer.headers['retry-after']).toMatch(/^[1-9][0-9]*$/);
    },
  );

  it.each([
    [1, 119],
    [10, 119],
    [11, 118],
    [50, 115],
  ])('by %d ids count for each ten begun', async (count, left) => {
    const found = await ask(0, actorsBy(count), from(newAddress()));
    expect([found.status, leftOf(found)]).toEqual([200, left]);
  });

  it('by ids are refused once less is left than they cost, and one by a handle counts once', async () => {
    const address = newAddress();
    const answers = await askOften(23, actorsBy(50), () => from(address));
    expect(tally(answers)).toEqual({ 200: 23 });
    expect(leftOf(await ask(0, '/api/actors?handle=nobody', from(address)))).toBe(4);
    expect((await ask(1, actorsBy(51), from(address))).status).toBe(400);
    expectRefusal(await ask(1, actorsBy(50), from(address)), 'anonymous');
    expectRefusal(await ask(0, UNKNOWN_ACTOR, from(address)), 'anonymous');
  });

  it('are not counted if they are refused for a missing or invalid token', async () => {
    const address = newAddress();
    for (const [path, headers] of [
      ['/api/profile', {}],
      [UNKNOWN_ACTOR, { authorization: 'Bearer made-up' }],
      [UNKNOWN_ACTOR, { authorization: 'Basic eDp5' }],
    ] as const) {
      const answer = await ask(0, path, { headers: { ...from(address).headers, ...headers } });
      expect(answer.status).toBe(401);
      expect(hasLimitHeaders(answer)).toBe(false);
    }
    expect(leftOf(await ask(0, UNKNOWN_ACTOR, from(address)))).toBe(119);
  });

  it('are counted together with those of the log key', async () => {
    const { headers } = await fetch(`${limited.network.baseUrl}/log/key`);
    const left = Number(/^"anonymous";r=(\d+);/.exec(headers.get('ratelimit') ?? '')?.[1]);
    expect(leftOf(await limited.askDirectly(UNKNOWN_ACTOR, {}))).toBe(left - 1);
  });

  it('are not counted outside of the social API', async () => {
    for (const path of ['/livez', '/readyz', '/api/auth/.well-known/openid-configuration', '/api/nothing'])
      expect(hasLimitHeaders(await ask(0, path, from(newAddress())))).toBe(false);
  });

  it('leave no address in the database', async () => {
    await ask(0, UNKNOWN_ACTOR, from('203.0.113.77'));
    const { rows } = await limited.query<{ key: string }>('SELECT * FROM limits.used');
    expect(rows.map(({ key }) => key)).toEqual([expect.stringMatching(/^[\w-]{43}$/)]);
  });
});

describe('with a token', () => {
  let alice: SignedIn;
  const post = (fields: object = {}) => ({
    by: alice,
    body: { intentId: randomUUID(), text: 'hello', audience: 'public', ...fields },
  });
  const useUp = (points: number, known: number) =>
    limited.query('UPDATE limits.used SET points = $1 WHERE points = $2', [points, known]);

  beforeEach(async () => {
    alice = await limited.newPerson();
  });

  it('reads are limited to 3,000 in five minutes, which a process reserves fifty at a time', async () => {
    const first = await ask(0, '/api/reconcile', { by: alice });
    expect([first.status, policyOf(first)]).toEqual([200, '"reads";q=3000;w=300']);
    expect(first.headers['ratelimit']).toMatch(/^"reads";r=2999;t=(300|29[0-9])$/);
    await useUp(2_940, 50);
    // 49 are left of the first process' lease, and 60 for both processes.
    const answers = await askOften(240, '/api/session', () => ({ by: alice }));
    expect(tally(answers)).toEqual({ 200: 109, 429: 131 });
    const refused = await ask(1, '/api/reconcile', { by: alice });
    expectRefusal(refused, 'reads');
    expect(policyOf(refused)).toBe('"reads";q=3000;w=300');
  });

  it('reads by ids count for each ten begun', async () => {
    expect(leftOf(await ask(0, actorsBy(50), { by: alice }))).toBe(2_995);
    expect(leftOf(await ask(0, actorsBy(21), { by: alice }))).toBe(2_992);
    await useUp(3_000, 50);
    // 42 are left of the lease of this process.
    const answers = [];
    for (let count = 0; count < 9; count++) answers.push(await ask(0, actorsBy(41), { by: alice }));
    expect(tally(answers)).toEqual({ 200: 8, 429: 1 });
    expectRefusal(answers[8]!, 'reads');
  });

  it('userinfo counts as a read', async () => {
    expect(leftOf(await ask(0, '/api/auth/oauth2/userinfo', { by: alice }))).toBe(2_999);
    expect(leftOf(await ask(1, '/api/session', { by: alice }))).toBe(2_998);
  });

  it('writes are limited to 300 in five minutes, which a process reserves eighteen at a time', async () => {
    const first = await ask(0, '/api/posts', post(), 'POST');
    expect([first.status, policyOf(first)]).toEqual([200, '"writes";q=300;w=300']);
    expect(first.headers['ratelimit']).toMatch(/^"writes";r=299;t=(300|29[0-9])$/);
    await useUp(290, 18);
    // 17 are left of the first process' lease, and 10 for both processes.
    const answers = await askOften(60, '/api/posts', () => post(), 'POST');
    expect(tally(answers)).toEqual({ 200: 27, 429: 33 });
    expectRefusal(await ask(1, '/api/posts', post(), 'POST'), 'writes');
    expect((await ask(1, '/api/session', { by: alice })).status).toBe(200);
  });

  it('refused writes are counted, also without the scope', async () => {
    const wrong = await ask(0, '/api/posts', post({ text: '' }), 'POST');
    expect([wrong.status, leftOf(wrong)]).toEqual([400, 299]);
    const reader = await limited.newPerson('openid read');
    const unscoped = () => ask(0, '/api/posts', { ...post(), by: reader }, 'POST');
    const refused = await unscoped();
    expect([refused.status, refused.body.error, leftOf(refused)]).toEqual([403, 'capability_required', 299]);
    await useUp(300, 18);
    for (let left = 17; left > 0; left -= 1) expect((await unscoped()).status).toBe(403);
    expectRefusal(await unscoped(), 'writes');
    expect(leftOf(await ask(0, '/api/posts', post(), 'POST'))).toBe(298);
  });

  it('reads without their scope are counted', async () => {
    const writer = await limited.newPerson('openid post:create');
    const refused = await ask(0, '/api/reconcile', { by: writer });
    expect([refused.status, refused.body.error, leftOf(refused)]).toEqual([
      403,
      'capability_required',
      2_999,
    ]);
    expect(leftOf(await ask(0, '/api/session', { by: writer }))).toBe(2_998);
    await useUp(3_000, 50);
    const answers = await askOften(120, '/api/reconcile', () => ({ by: writer }));
    expect(tally(answers)).toEqual({ 403: 48, 429: 72 });
  });

  it('requests of a suspended person are counted', async () => {
    const person = await limited.newPerson();
    await operatorOf(limited.network).post('accounts/:id/suspend', { id: person.actorId, reason: 'a test' });
    await limited.forgetCounts();
    const [read, write] = [
      await ask(0, '/api/session', { by: person }),
      await ask(0, '/api/posts', { ...post(), by: person }, 'POST'),
    ];
    expect([read, write].map((refused) => [refused.status, refused.body.error, leftOf(refused)])).toEqual([
      [403, 'social_authority_required', 2_999],
      [403, 'social_authority_required', 299],
    ]);
  });

  it('requests are not limited by their address, and need none', async () => {
    const address = newAddress();
    await askOften(31, '/api/reconcile', () => from(address));
    expectRefusal(await ask(0, '/api/reconcile', from(address)), 'events');
    expect((await ask(0, '/api/reconcile', { by: alice, ...from(address) })).status).toBe(200);
    expect((await ask(0, '/api/reconcile', { by: alice })).status).toBe(200);
    expect((await ask(0, '/api/posts', post(), 'POST')).status).toBe(200);
  });
});

describe('while the counters are unavailable', () => {
  it.each([
    ['since their table is locked', 'BEGIN; LOCK TABLE limits.used', 'ROLLBACK'],
    [
      'since their table is gone',
      'ALTER TABLE limits.used RENAME TO elsewhere',
      'ALTER TABLE limits.elsewhere RENAME TO used',
    ],
  ])(
    '%s, requests that must be counted are refused, and reserved reads succeed',
    async (_why, begin, end) => {
      const [alice, bob] = [await limited.newPerson(), await limited.newPerson()];
      expect((await ask(0, '/api/session', { by: alice })).status).toBe(200);
      const body = { intentId: randomUUID(), text: 'not counted', audience: 'public' };
      await limited.query(begin);
      try {
        const answers = await Promise.all([
          ask(0, UNKNOWN_ACTOR, from(newAddress())),
          ask(0, '/api/reconcile', from(newAddress())),
          ask(0, '/api/session', { by: bob }),
          ask(0, '/api/posts', { by: alice, body }, 'POST'),
        ]);
        for (const answer of answers) {
          expect([answer.status, answer.body.error]).toEqual([503, 'pilot_limits_unavailable']);
          expect(answer.headers['retry-after']).toMatch(/^[1-9][0-9]*$/);
        }
        expect((await ask(0, '/api/session', { by: alice })).status).toBe(200);
      } finally {
        await limited.query(end);
      }
      const { body: view } = await ask(0, '/api/reconcile', { by: alice });
      expect(view.ownPosts).toEqual([]);
      expect((await ask(0, '/api/posts', { by: alice, body }, 'POST')).status).toBe(200);
    },
  );
});

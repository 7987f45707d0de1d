import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { systemClock } from '../../src/base/support/clock.js';
import { limits } from '../../src/base/config/limit-settings.js';
import { TrustedProxies } from '../../src/base/config/trusted-proxies.js';
import type { Caller } from '../../src/doors/api/limits/caller.js';
import { RequestLimits } from '../../src/doors/api/limits/request-limits.js';
import type { ApiQuotas } from '../../src/doors/api/limits/request-limits.js';
import { openReadStore } from '../../src/base/store/database.js';
import type { Postgres } from '../../src/base/store/postgres.js';
import { startTestPostgres } from '../support/postgres.js';
import type { TestPostgres } from '../support/postgres.js';

let postgres: TestPostgres;
let database: Postgres;

beforeAll(async () => {
  postgres = await startTestPostgres();
  const url = await postgres.createReadStore();
  database = await openReadStore({ url, applicationName: 'test', maxConnections: 8 });
});

afterAll(async () => {
  await database?.close();
  await postgres?.stop();
});

/** Unused budgets. */
const newLimits = (quotas: ApiQuotas = limits): RequestLimits =>
  new RequestLimits(database.pool, randomBytes(32), systemClock, new TrustedProxies(['10.0.0.0/8']), quotas);

const caller = (appId: string, actorId: string): Caller => ({
  appId,
  actorId,
  grantId: 'g',
  scopes: [],
  expiresAt: 0,
});

describe('the budgets of the social API', () => {
  it('are the published ones [limit-anonymous, limit-events]', async () => {
    const api = newLimits();
    const all = await Promise.all([
      api.anonymousRead('reads', '203.0.113.9'),
      api.anonymousRead('events', '203.0.113.9'),
      api.read(caller('pebble', 'ada')),
      api.write(caller('pebble', 'ada')),
    ]);
    expect(all.map((standing) => [standing?.policy, standing?.consumed.left])).toEqual([
      [{ name: 'anonymous', limit: { quota: 120, windowSeconds: 60 } }, 119],
      [{ name: 'events', limit: { quota: 30, windowSeconds: 60 } }, 29],
      [{ name: 'reads', limit: { quota: 3_000, windowSeconds: 300 } }, 2_999],
      [{ name: 'writes', limit: { quota: 300, windowSeconds: 300 } }, 299],
    ]);
  });

  it.each([
    [
      'of an address',
      (api: RequestLimits, points?: number) => api.anonymousRead('reads', '203.0.113.9', points),
    ],
    ['of a caller', (api: RequestLimits, points?: number) => api.read(caller('pebble', 'ada'), points)],
  ])('%s are taken by the points of a read, which is granted whole or refused', async (_whose, take) => {
    const anonymous = { ...limits.anonymous, reads: { quota: 13, windowSeconds: 60 } };
    const bearer = { ...limits.bearer, reads: { quota: 13, windowSeconds: 60 } };
    const api = newLimits({ ...limits, anonymous, bearer });
    const consumed = [];
    for (const points of [5, undefined, 5, 5, undefined]) consumed.push((await take(api, points))?.consumed);
    expect(consumed.map((state) => [state?.granted, state?.left])).toEqual([
      [5, 8],
      [1, 7],
      [5, 2],
      // The two that were left are used up.
      [0, 0],
      [0, 0],
    ]);
  });

  it.each(['read', 'write'] as const)('are separate for each application and actor: to %s', async (act) => {
    const api = newLimits();
    const left = async (appId: string, actorId: string) =>
      (await api[act](caller(appId, actorId)))?.consumed.left;
    const whole = await left('pebble', 'ada');
    expect(await left('pebble', 'ada')).toBe(Number(whole) - 1);
    expect(await left('pebble', 'eve')).toBe(whole);
    expect(await left('gravel', 'ada')).toBe(whole);
  });

  it('of an address are shared within its block', async () => {
    const api = newLimits();
    const left = async (address: string) => (await api.anonymousRead('reads', address))?.consumed.left;
    expect(await left('2001:db8::1')).toBe(119);
    expect(await left('2001:db8:0:0:ffff::2')).toBe(118);
    expect(await left('2001:db8:0:1::1')).toBe(119);
    expect(await left('203.0.113.9')).toBe(119);
    expect(await left('::ffff:203.0.113.9')).toBe(118);
  });

  it.each(['10.1.2.3', 'unknown', ''])('are unavailable for the address %p', async (nearest) => {
    await expect(newLimits().anonymousRead('reads', nearest)).rejects.toMatchObject({
      code: 'trusted_address_unavailable',
      status: 503,
    });
  });

  it('are unlimited if limits are off, whatever the address', async () => {
    const api = newLimits('off');
    expect(await api.anonymousRead('reads', 'unknown')).toBeUndefined();
    expect(await api.read(caller('pebble', 'ada'))).toBeUndefined();
    expect(await api.write(caller('pebble', 'ada'))).toBeUndefined();
  });
});

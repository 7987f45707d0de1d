import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { MAX_LEASE_POINTS, LeasedWindow } from '../../src/doors/api/limits/leased-window.js';
import { LimitsUnavailable, SharedWindow } from '../../src/server/limits/shared-window.js';
import { openReadStore } from '../../src/base/store/database.js';
import type { Postgres } from '../../src/base/store/postgres.js';
import { startTestPostgres } from '../support/postgres.js';
import type { TestPostgres } from '../support/postgres.js';

let postgres: TestPostgres;
let database: Postgres;

beforeAll(async () => {
  postgres = await startTestPostgres();
  const url = await postgres.createReadStore();
  database = await openReadStore({ url, applicationName: 'test', maxConnections: 8, queryTimeoutMs: 5_000 });
});

afterEach(() => {
  jest.restoreAllMocks();
});

afterAll(async () => {
  await database?.close();
  await postgres?.stop();
});

const WINDOW_S = 300;

/** One unused budget in three processes. */
function newWindows(quota = 3_000) {
  const name = randomUUID();
  const clock = { aheadMs: 0, now: () => Date.now() + clock.aheadMs };
  const shared = () =>
    new SharedWindow({
      pool: database.pool,
      secret: Buffer.alloc(32, 7),
      name,
      limit: { quota, windowSeconds: WINDOW_S },
      isFinal: true,
    });
  const leased = () => new LeasedWindow(shared(), clock);
  const windows = [leased(), leased(), leased()] as const;
  const endWindow = async () => {
    clock.aheadMs += WINDOW_S * 1_000;
    await database.pool.query('UPDATE limits.used SET expire = 0 WHERE key = $1', [shared().keyOf('ada')]);
  };
  return { windows, endWindow };
}

/** Consumes until a call is refused, and returns the number of granted ones. */
async function useUp(window: LeasedWindow, atOnce = 16): Promise<number> {
  for (let total = 0; ;) {
    const calls = await Promise.all(Array.from({ length: atOnce }, () => window.consume('ada')));
    const granted = calls.filter((consumed) => consumed.granted === 1).length;
    total += granted;
    if (granted < atOnce) return total;
  }
}

describe('a leased budget', () => {
  it('can be used up by one process, with at most one statement for twenty calls', async () => {
    const { windows } = newWindows();
    const statements = jest.spyOn(database.pool, 'query');
    expect(await useUp(windows[0])).toBe(3_000);
    expect(statements.mock.calls.length).toBeLessThan(150);
  });

  it('needs no statement once it is used up', async () => {
    const { windows } = newWindows(20);
    await useUp(windows[0]);
    const statements = jest.spyOn(database.pool, 'query');
    expect(await windows[0].consume('ada')).toEqual({ granted: 0, left: 0, msToReset: expect.any(Number) });
    expect(statements).not.toHaveBeenCalled();
  });

  it.each([1, 7, 120, 3_000])(
    'of %i is neither exceeded nor wasted by three active processes',
    async (quota) => {
      const { windows } = newWindows(quota);
      const spent = await Promise.all(windows.map((window) => useUp(window)));
      expect(spent.reduce((sum, each) => sum + each, 0)).toBe(quota);
    },
  );

  it('is not exceeded by concurrent calls of one process', async () => {
    const { windows } = newWindows(120);
    expect(await useUp(windows[0], 500)).toBe(120);
  });

  it('is neither exceeded nor wasted by calls for several points', async () => {
    const { windows } = newWindows(123);
    const some = Array.from({ length: 20 }, (_, n) => windows[n % 2 === 0 ? 0 : 1].consume('ada', 5));
    expect((await Promise.all(some)).map(({ granted }) => granted)).toEqual(Array(20).fill(5));
    const [one, other] = await Promise.all([useUp(windows[0]), useUp(windows[1])]);
    expect(one + other).toBe(23);
  });

  it('grants a call for several points what is left, with one statement', async () => {
    const { windows } = newWindows(8);
    expect(await windows[0].consume('ada', 5)).toMatchObject({ granted: 5, left: 3 });
    const statements = jest.spyOn(database.pool, 'query');
    expect(await windows[0].consume('ada', 5)).toMatchObject({ granted: 3, left: 0 });
    expect(statements).toHaveBeenCalledTimes(1);
    expect(await windows[0].consume('ada')).toMatchObject({ granted: 0, left: 0 });
  });

  it('loses at most one lease to each process that leased one and stopped claiming', async () => {
    const { windows } = newWindows();
    await windows[1].consume('ada');
    await windows[2].consume('ada');
    expect(await useUp(windows[0])).toBe(3_000 - 2 * MAX_LEASE_POINTS);
    // Their leases stay valid.
    expect(await useUp(windows[1])).toBe(MAX_LEASE_POINTS - 1);
  });

  it('returns the remaining number, one less for each call', async () => {
    const { windows } = newWindows();
    const left: number[] = [];
    for (let count = 0; count < 120; count++) left.push((await windows[0].consume('ada')).left);
    expect(left).toEqual(Array.from({ length: 120 }, (_, n) => 2_999 - n));
  });

  it('is whole in the next window, into which no lease is carried over', async () => {
    const { windows, endWindow } = newWindows();
    await windows[1].consume('ada');
    await useUp(windows[0]);
    await endWindow();
    expect(await windows[1].consume('ada')).toMatchObject({ granted: 1, left: 2_999 });
  });

  it('is separate for each key', async () => {
    const { windows } = newWindows(5);
    await useUp(windows[0]);
    expect(await windows[0].consume('eve')).toMatchObject({ granted: 1, left: 4 });
  });

  it('is refused while it cannot be counted, except from a lease, and granted again afterwards', async () => {
    const { windows } = newWindows(32);
    await windows[0].consume('ada');
    await database.pool.query('ALTER TABLE limits.used RENAME TO elsewhere');
    try {
      expect((await windows[0].consume('ada')).granted).toBe(1);
      const refused = Array.from({ length: 5 }, () => windows[0].consume('ada'));
      for (const { reason, status } of (await Promise.allSettled(refused)) as PromiseRejectedResult[])
        expect([status, reason]).toEqual(['rejected', expect.any(LimitsUnavailable)]);
    } finally {
      await database.pool.query('ALTER TABLE limits.elsewhere RENAME TO used');
    }
    expect(await useUp(windows[0])).toBe(30);
  });
});

import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { LimitsUnavailable, SharedWindow } from '../../src/server/limits/shared-window.js';
import type { WindowOptions } from '../../src/server/limits/shared-window.js';
import { openReadStore } from '../../src/base/store/database.js';
import type { Postgres } from '../../src/base/store/postgres.js';
import { startOwnPostgres } from '../support/postgres.js';
import type { OwnPostgres } from '../support/postgres.js';
import { until } from '../support/until.js';

/** The timeout of production. */
const QUERY_MS = 5_000;

let postgres: OwnPostgres;
/** The pools of two API processes. */
let one: Postgres;
let other: Postgres;

beforeAll(async () => {
  postgres = await startOwnPostgres();
  const url = await postgres.createReadStore();
  const open = () =>
    openReadStore({ url, applicationName: 'test', maxConnections: 8, queryTimeoutMs: QUERY_MS });
  [one, other] = [await open(), await open()];
});

afterAll(async () => {
  await one?.close();
  await other?.close();
  await postgres?.stop();
});

const secret = Buffer.alloc(32, 7);

/** One unused budget in both processes. */
function newWindows(
  quota: number,
  options: Partial<WindowOptions> = {},
): readonly [SharedWindow, SharedWindow] {
  const common = { secret, name: randomUUID(), limit: { quota, windowSeconds: 60 }, isFinal: false };
  const [first, second] = [one, other].map(({ pool }) => new SharedWindow({ pool, ...common, ...options }));
  return [first, second] as [SharedWindow, SharedWindow];
}

const countGranted = async (calls: readonly Promise<{ granted: number }>[]): Promise<number> =>
  (await Promise.all(calls)).reduce((sum, consumed) => sum + consumed.granted, 0);

describe('a budget', () => {
  it('returns the remaining number and the time until it is whole again', async () => {
    const [window] = newWindows(3);
    expect(await window.consume('ada')).toEqual({ granted: 1, left: 2, msToReset: expect.any(Number) });
    await window.consume('ada', 2);
    const { msToReset, ...refused } = await window.consume('ada');
    expect(refused).toEqual({ granted: 0, left: 0 });
    expect(msToReset).toBeGreaterThan(50_000);
    expect(msToReset).toBeLessThanOrEqual(60_000);
  });

  it('is separate for each key and each name', async () => {
    const [window, another] = [newWindows(1)[0], newWindows(1)[0]];
    const calls = [window.consume('ada'), window.consume('eve'), another.consume('ada')];
    expect(await countGranted(calls)).toBe(3);
  });

  it('is granted in part if less is left than asked for', async () => {
    const [mine, theirs] = newWindows(10);
    expect(await mine.consume('ada', 7)).toMatchObject({ granted: 7, left: 3 });
    expect(await theirs.consume('ada', 7)).toMatchObject({ granted: 3, left: 0 });
    expect(await mine.consume('ada', 7)).toMatchObject({ granted: 0, left: 0 });
  });

  it.each([1, 3, 50])(
    'is never exceeded by concurrent calls for %i points on two processes',
    async (points) => {
      const both = newWindows(100);
      const calls = Array.from({ length: 120 }, (_, n) => both[n % 2 ? 1 : 0].consume('ada', points));
      expect(await countGranted(calls)).toBe(100);
    },
  );

  it('is whole again when its window has ended', async () => {
    const [mine, theirs] = newWindows(1, { limit: { quota: 1, windowSeconds: 1 }, isFinal: true });
    expect((await mine.consume('ada')).granted).toBe(1);
    expect((await theirs.consume('ada')).granted).toBe(0);
    await until(async () => (await theirs.consume('ada')).granted === 1);
    expect((await mine.consume('ada')).granted).toBe(0);
  });

  it('can be lowered again, unless it is final: then refusals are remembered until the window ends', async () => {
    for (const isFinal of [true, false]) {
      const [window] = newWindows(1, { isFinal });
      await window.consume('ada');
      await window.consume('ada');
      await one.pool.query('DELETE FROM limits.used WHERE key = $1', [window.keyOf('ada')]);
      expect(await window.consume('ada')).toMatchObject({ granted: isFinal ? 0 : 1, left: 0 });
    }
  });

  it('is stored under a key that reveals nothing', async () => {
    const [window] = newWindows(1, { name: 'a-name' });
    await window.consume('ada');
    const { rows } = await one.pool.query('SELECT * FROM limits.used WHERE key = $1', [window.keyOf('ada')]);
    expect(rows).toHaveLength(1);
    expect(JSON.stringify(rows)).not.toMatch(/ada|a-name/);
  });
});

describe('a budget that cannot be counted', () => {
  const claimFailure = async (window: SharedWindow): Promise<unknown> =>
    window.consume('ada').catch((error: unknown) => error);

  it('reports a reachable server if its table is locked', async () => {
    const [window] = newWindows(1);
    const client = await other.pool.connect();
    try {
      await client.query('BEGIN');
      await client.query('LOCK TABLE limits.used');
      const error = await claimFailure(window);
      expect(error).toBeInstanceOf(LimitsUnavailable);
      expect(error).toMatchObject({ isServerAvailable: true });
    } finally {
      await client.query('ROLLBACK');
      client.release();
    }
    expect((await window.consume('ada')).granted).toBe(1);
  });

  it('reports a reachable server if its table is gone', async () => {
    const [window] = newWindows(1);
    await one.pool.query('ALTER TABLE limits.used RENAME TO elsewhere');
    const error = await claimFailure(window);
    await one.pool.query('ALTER TABLE limits.elsewhere RENAME TO used');
    expect(error).toBeInstanceOf(LimitsUnavailable);
    expect(error).toMatchObject({ isServerAvailable: true });
  });

  it('reports an unreachable server', async () => {
    const [window] = newWindows(1);
    await postgres.kill();
    try {
      const error = await claimFailure(window);
      expect(error).toBeInstanceOf(LimitsUnavailable);
      expect(error).toMatchObject({ isServerAvailable: false });
    } finally {
      await postgres.start();
    }
    await until(async () => !((await claimFailure(window)) instanceof Error));
  });
});

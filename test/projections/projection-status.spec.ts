import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { projectionStatus } from '../../projections/projection-status.js';
import { posts } from '../../projections/posts/posts.projection.js';
import { startTestPostgres } from '../support/postgres.js';
import type { TestPostgres } from '../support/postgres.js';
import { until } from '../support/until.js';
import { MemoryLog } from './support/memory-log.js';
import { some } from './support/recorded.js';
import { WorkerBench } from './support/worker.js';

describe('the status of projections', () => {
  let postgres: TestPostgres;
  let bench: WorkerBench;
  let log: MemoryLog;

  beforeAll(async () => {
    postgres = await startTestPostgres();
  });
  afterAll(() => postgres.stop());
  beforeEach(async () => {
    bench = WorkerBench.open(await postgres.createReadStore());
    log = new MemoryLog();
  });
  afterEach(() => bench.close());

  const statusOf = async (name: string) => {
    const { projections } = await projectionStatus(bench.pool, log);
    return projections.find((projection) => projection.name === name);
  };

  test('has no incarnation before the first publication', async () => {
    log.add(some.founding('n'), some.post('p1'));
    const status = await projectionStatus(bench.pool, log);
    expect(status.incarnation).toBeNull();
    expect(status.projections).toContainEqual({
      name: 'posts',
      version: posts.version,
      position: null,
      lag: 200,
    });
  });

  test('shows no lag behind an event that nobody handles', async () => {
    const [, post] = log.add(some.founding('n'), some.post('p1'), some.claim('ada'));
    bench.start(log);
    const { incarnation } = await until(() => bench.state());
    expect((await projectionStatus(bench.pool, log)).incarnation).toBe(incarnation);
    expect(await statusOf('posts')).toEqual({
      name: 'posts',
      version: posts.version,
      position: Number(post?.position),
      lag: 0,
    });
  });

  test('counts the bytes of log up to the end when a handled event waits', async () => {
    log.add(some.founding('n'), some.post('p1'));
    const worker = bench.start(log);
    await until(() => bench.state());
    await worker.stop();
    log.add(some.post('p2'), some.claim('ada'));
    expect(await statusOf('profile')).toMatchObject({ lag: 200 });
  });

  describe('of a log that is slow to read', () => {
    test('counts all bytes behind a group that lags', async () => {
      log.add(some.founding('n'), some.post('p1'));
      const worker = bench.start(log);
      await until(() => bench.state());
      await worker.stop();
      await bench.pool.query(`UPDATE recovery.heartbeat SET beat_at = beat_at - interval '1 minute'`);
      log.add(some.post('p2'), some.claim('ada'));
      log.setSlow(true);
      expect(await statusOf('posts')).toMatchObject({ lag: 200 });
    });

    test('shows no lag where the worker has just reported that it caught up', async () => {
      log.add(some.founding('n'), some.post('p1'), some.claim('ada'));
      bench.start(log);
      const isCaughtUp = async () =>
        (await bench.pool.query('SELECT FROM recovery.heartbeat WHERE caught_up')).rowCount === 1;
      expect(await until(isCaughtUp)).toBe(true);
      log.setSlow(true);
      expect(await statusOf('posts')).toMatchObject({ lag: 0 });
    });
  });

  test('has no lag for an unavailable log', async () => {
    log.setDown(true);
    expect(await statusOf('posts')).toMatchObject({ lag: null });
  });

  test('has no lag for a log that ends before the checkpoint', async () => {
    const [, post] = log.add(some.founding('n'), some.post('p1'));
    const worker = bench.start(log);
    await until(() => bench.state());
    await worker.stop();
    log.removeEvent(post?.id ?? '');
    expect(await statusOf('posts')).toMatchObject({ lag: null });
  });

  test('names the event at which a group has stopped', async () => {
    log.add(some.founding('n'));
    const worker = bench.start(log);
    await until(() => bench.state());
    const [bad] = log.add(some.post('p1', { text: '\u0000' }));
    await worker.ended;
    expect(await statusOf('posts')).toMatchObject({
      lag: 200,
      stopped: {
        eventId: bad?.id,
        position: Number(bad?.position),
        reason: expect.stringContaining('post.created'),
      },
    });
  });
});

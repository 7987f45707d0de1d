/** @waits */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { serving } from '../../projections/groups.js';
import { until } from '../support/until.js';
import { startTestPostgres } from '../support/postgres.js';
import type { TestPostgres } from '../support/postgres.js';
import { MemoryLog } from './support/memory-log.js';
import { some } from './support/recorded.js';
import { nextRelease, WorkerBench } from './support/worker.js';

/** Text that Postgres cannot store: the event is readable, but cannot be applied. */
const UNSTORABLE = 'a\u0000b';

describe('a worker that cannot continue', () => {
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

  const waitForPosts = (...ids: string[]) => bench.waitForPosts(...ids);

  test('stops at an event that cannot be applied, names it, and has applied all before it', async () => {
    log.add(some.founding('n'), some.post('p1'), some.post('p2'));
    const [bad] = log.add(some.post('p3', { text: UNSTORABLE }), some.post('p4'));
    const worker = bench.start(log);
    await worker.ended;
    expect(await bench.stopped()).toEqual({
      position: String(bad?.position),
      event: bad?.id,
      reason: expect.stringContaining('post.created cannot be applied'),
    });
    const { rows } = await bench.pool.query<{ schema_name: string; applied_position: string }>(
      'SELECT schema_name, applied_position FROM recovery.incarnation',
    );
    const posts = await bench.pool.query(`SELECT id FROM ${rows[0]?.schema_name}.post ORDER BY position`);
    expect(posts.rows).toEqual([{ id: 'p1' }, { id: 'p2' }]);
    expect(bench.logged.some((line) => line.includes('"level":60') && line.includes(bad?.id ?? '-'))).toBe(
      true,
    );
  });

  test('stops at an event whose handler throws', async () => {
    log.add(some.founding('n'), some.post('p1'));
    const broken = {
      name: 'broken',
      version: 1,
      tables: '',
      handlers: {
        'post.deleted': () => {
          throw new Error('the handler is broken');
        },
      },
    };
    bench.start(log, { name: 'serving', projections: [...serving.projections, broken] });
    await waitForPosts('p1');
    const [bad] = log.add(some.deletion('p1'));
    expect(await until(() => bench.stopped())).toMatchObject({
      event: bad?.id,
      reason: 'post.deleted cannot be applied: the handler is broken',
    });
    expect((await bench.posts()).counted).toBe(1);
  });

  test('stops at an unreadable event', async () => {
    log.add(some.founding('n'), some.post('p1'));
    const [bad] = log.add(some.post('p2'), some.post('p3'));
    log.setUnreadable(bad?.id ?? '', true);
    await bench.start(log).ended;
    expect(await bench.stopped()).toEqual({
      position: String(bad?.position),
      event: bad?.id,
      reason: `cannot read ${bad?.id}`,
    });
  });

  test('stops at an unreadable event even if recording the stop fails at first', async () => {
    log.add(some.founding('n'), some.post('p1'));
    bench.start(log);
    await waitForPosts('p1');
    await bench.pool.query(`
      CREATE SEQUENCE times;
      CREATE FUNCTION fail_once() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        IF NEW.stopped_reason IS NOT NULL AND nextval('public.times') = 1 THEN
          RAISE EXCEPTION USING ERRCODE = 'disk_full', MESSAGE = 'the disk is full';
        END IF;
        RETURN NEW;
      END $$;
      CREATE TRIGGER fail_once BEFORE UPDATE ON recovery.incarnation FOR EACH ROW EXECUTE FUNCTION fail_once()`);
    const [bad] = log.add(some.post('p2'));
    log.setUnreadable(bad?.id ?? '', true);
    await until(() => bench.logged.some((line) => line.includes('the disk is full')));
    expect(await until(() => bench.stopped())).toMatchObject({ event: bad?.id });
  });

  test('resumes after a restart once the event can be applied', async () => {
    log.add(some.founding('n'), some.post('p1'));
    const [bad] = log.add(some.post('p2'));
    log.setUnreadable(bad?.id ?? '', true);
    await bench.start(log).ended;
    log.setUnreadable(bad?.id ?? '', false);
    bench.start(log);
    await waitForPosts('p1', 'p2');
    expect(await bench.stopped()).toBeUndefined();
  });

  test('stops when its read models are quarantined by another process', async () => {
    log.add(some.founding('n'), some.post('p1'));
    const worker = bench.start(log);
    await waitForPosts('p1');
    await bench.pool.query(`UPDATE recovery.publication SET status = 'quarantined', reason = 'a test'`);
    await worker.ended;
    expect(bench.logged.at(-1)).toContain('must be recovered first');
  });

  describe('quarantines a log that is not the one it applied:', () => {
    const quarantined = async () => {
      const state = await until(async () => {
        const found = await bench.state();
        return found?.status === 'quarantined' && found;
      });
      return state.reason;
    };

    beforeEach(async () => {
      log.add(some.founding('n'), some.post('p1'), some.post('p2'));
      const worker = bench.start(log);
      await until(() => bench.state());
      await worker.stop();
    });

    test('a rolled-back one', async () => {
      log.rollBack(2);
      await bench.start(log).ended;
      expect(await quarantined()).toContain('The log was rolled back: it ends at position 200');
    });

    test('one that was rolled back and written to', async () => {
      log.rollBack(2);
      log.add(some.post('other'), some.post('another'));
      await bench.start(log).ended;
      expect(await quarantined()).toMatch(/the log has .* at 300/);
      expect((await bench.posts()).ids).toEqual(['p1', 'p2']);
    });

    test('the log of another network', async () => {
      const other = new MemoryLog();
      other.add(some.founding('m'));
      await bench.start(other).ended;
      expect(await quarantined()).toContain('belongs to network m');
    });

    test('an empty one, without founding a network in it', async () => {
      const empty = new MemoryLog();
      await bench.start(empty).ended;
      expect(await quarantined()).toContain('has no network');
      expect(await empty.head()).toBeUndefined();
    });

    test('and stays stopped when the log is put back, until a recovery', async () => {
      const other = new MemoryLog();
      other.add(some.founding('m'));
      await bench.start(other).ended;
      const before = await bench.state();
      log.add(some.post('p3'));
      await bench.start(log).ended;
      expect(bench.logged.at(-1)).toContain('must be recovered first');
      expect(await bench.state()).toEqual(before);
      expect((await bench.posts()).ids).toEqual(['p1', 'p2']);
    });

    test('even before it builds another incarnation', async () => {
      log.rollBack(2);
      await bench.start(log, nextRelease).ended;
      expect(await quarantined()).toContain('The log was rolled back: it ends at position 200');
      await bench.start(log, nextRelease).ended;
      expect(bench.logged.at(-1)).toContain('must be recovered first');
    });
  });
});

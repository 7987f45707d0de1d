import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { serving } from '../../projections/groups.js';
import { until } from '../support/until.js';
import { startTestPostgres } from '../support/postgres.js';
import type { TestPostgres } from '../support/postgres.js';
import { MemoryLog } from './support/memory-log.js';
import { some } from './support/recorded.js';
import { raised, WorkerBench } from './support/worker.js';

/** What Postgres cannot store in a text: an event that can be read and not applied. */
const UNSTORABLE = 'a\u0000b';

describe('a worker of a group', () => {
  let postgres: TestPostgres;
  let bench: WorkerBench;
  let log: MemoryLog;

  beforeAll(async () => {
    postgres = await startTestPostgres();
  });
  afterAll(() => postgres.stop());
  beforeEach(async () => {
    bench = await WorkerBench.open(await postgres.createDatabase());
    log = new MemoryLog();
  });
  afterEach(() => bench.close());

  const shows = (...ids: string[]) =>
    until(async () => JSON.stringify((await bench.posts()).ids) === JSON.stringify(ids));

  test('founds the network and publishes an incarnation for an empty log', async () => {
    bench.start(log);
    const state = await until(() => bench.state());
    const [founded] = await log.read('network');
    expect(state).toMatchObject({
      status: 'serving',
      appliedPosition: undefined,
      versions: { posts: 1, profile: 1 },
    });
    expect(founded?.event.data).toMatchObject({ networkId: state.networkId });
  });

  test('applies what is there, then what comes, and says how far it is', async () => {
    log.add(some.founding('n'), some.post('p1'));
    bench.start(log);
    await shows('p1');
    const [last] = log.add(some.post('p2'));
    await shows('p1', 'p2');
    expect((await bench.state())?.appliedPosition).toBe(last?.position);
  });

  test('publishes only when it has reached the end of the log', async () => {
    log.add(some.founding('n'), ...Array.from({ length: 2_500 }, (_, index) => some.post(`p${index}`)));
    bench.start(log);
    await until(() => bench.state());
    expect(await bench.posts()).toMatchObject({ counted: 2_500 });
  });

  test('goes on where it stopped, in the same incarnation', async () => {
    log.add(some.founding('n'), some.post('p1'));
    const first = bench.start(log);
    const before = await until(() => bench.state());
    await first.stop();
    log.add(some.post('p2'));
    bench.start(log);
    await shows('p1', 'p2');
    expect((await bench.state())?.incarnation).toBe(before.incarnation);
  });

  test('builds another incarnation beside, and switches to it, when the versions of the code differ', async () => {
    log.add(some.founding('n'), some.post('p1'));
    const old = bench.start(log);
    const before = await until(() => bench.state());
    bench.start(log, raised);
    const after = await until(async () => {
      const state = await bench.state();
      return state?.incarnation !== before.incarnation && state;
    });
    expect(after).toMatchObject({ networkId: before.networkId, versions: { posts: 2, profile: 2 } });
    await shows('p1');
    await old.stop();
  });

  test('stands by while another works, and takes over when that one ends', async () => {
    log.add(some.founding('n'), some.post('p1'));
    const first = bench.start(log);
    await shows('p1');
    bench.start(log);
    await until(() => bench.logged.some((line) => line.includes('standing by')));
    await first.stop();
    log.add(some.post('p2'));
    await shows('p1', 'p2');
    expect(await bench.posts()).toMatchObject({ counted: 2 });
  });

  test('applies nothing when another worker has moved the progress, and reads it anew', async () => {
    log.add(some.founding('n'));
    bench.start(log);
    await until(() => bench.state());
    const [other] = log.add(some.post('p1'));
    await shows('p1');
    // As if a second worker had applied p1 and this one did not know: its own next batch must not go through.
    await bench.pool.query(
      'UPDATE recovery.incarnation SET applied_position = applied_position + 1, applied_event_id = $1',
      [other?.id],
    );
    log.add(some.post('p2'));
    await until(() => bench.logged.some((line) => line.includes('another worker has moved the progress')));
    expect((await bench.posts()).ids).toEqual(['p1']);
  });

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
    await shows('p1');
    const [bad] = log.add(some.deletion('p1'));
    expect(await until(() => bench.stopped())).toMatchObject({
      event: bad?.id,
      reason: 'post.deleted cannot be applied: the handler is broken',
    });
    expect((await bench.posts()).counted).toBe(1);
  });

  test('stops at an event that cannot be read', async () => {
    log.add(some.founding('n'), some.post('p1'));
    const [bad] = log.add(some.post('p2'), some.post('p3'));
    log.setUnreadable(bad?.id ?? '', true);
    await bench.start(log).ended;
    expect((await bench.stopped())?.reason).toBe(`cannot read ${bad?.id}`);
  });

  test('is no longer stopped once the event can be applied, after a restart', async () => {
    log.add(some.founding('n'), some.post('p1'));
    const [bad] = log.add(some.post('p2'));
    log.setUnreadable(bad?.id ?? '', true);
    await bench.start(log).ended;
    log.setUnreadable(bad?.id ?? '', false);
    bench.start(log);
    await shows('p1', 'p2');
    expect(await bench.stopped()).toBeUndefined();
  });

  test('waits for a log that is down and goes on by itself, with one line about it', async () => {
    log.add(some.founding('n'), some.post('p1'));
    bench.start(log);
    await shows('p1');
    log.setDown(true);
    await until(() => bench.logged.some((line) => line.includes('the log is down')));
    log.add(some.post('p2'));
    log.setDown(false);
    await shows('p1', 'p2');
    await until(() => bench.logged.some((line) => line.includes('working again')));
    expect(bench.logged.filter((line) => line.includes('trying again'))).toHaveLength(1);
  });

  test('waits for Postgres through a crash and goes on by itself', async () => {
    log.add(some.founding('n'), some.post('p1'));
    bench.start(log);
    await shows('p1');
    await postgres.kill();
    log.add(some.post('p2'));
    await until(() => bench.logged.some((line) => line.includes('trying again')));
    await postgres.start();
    await until(() => bench.logged.some((line) => line.includes('working again')));
    await shows('p1', 'p2');
    expect(await bench.posts()).toMatchObject({ counted: 2 });
  });

  describe('refuses a log that is not the one it applied:', () => {
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

    test('one that was set back', async () => {
      log.setBack(2);
      await bench.start(log).ended;
      expect(await quarantined()).toContain('the log has nothing at');
      expect((await bench.stopped())?.reason).toContain('the log has nothing at');
    });

    test('one that was set back and written on', async () => {
      log.setBack(2);
      log.add(some.post('other'), some.post('another'));
      await bench.start(log).ended;
      expect(await quarantined()).toMatch(/the log has .* at 300/);
      expect((await bench.posts()).ids).toEqual(['p1', 'p2']);
    });

    test('that of another network', async () => {
      const other = new MemoryLog();
      other.add(some.founding('m'));
      await bench.start(other).ended;
      expect(await quarantined()).toContain('is that of network m');
    });

    test('an empty one, and founds no network in it', async () => {
      const empty = new MemoryLog();
      await bench.start(empty).ended;
      expect(await quarantined()).toContain('has no network');
      expect(await empty.head()).toBeUndefined();
    });

    test('even to build another incarnation from', async () => {
      log.setBack(2);
      await bench.start(log, raised).ended;
      expect(await quarantined()).toContain('the log has nothing at');
      await bench.start(log, raised).ended;
      expect(bench.logged.at(-1)).toContain('must be recovered first');
    });
  });
});

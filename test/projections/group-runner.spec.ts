import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { Pool, PoolClient } from 'pg';
import { serving } from '../../projections/groups.js';
import { versionsOf } from '../../projections/runner/projection.js';
import { fixedSchemaTarget } from '../../projections/runner/target.js';
import { PUBLICATION_CHANNEL } from '../../projections/incarnations/incarnation.js';
import type { PublicationState } from '../../projections/incarnations/recovery-state.js';
import { until } from '../support/until.js';
import { startOwnPostgres } from '../support/postgres.js';
import type { OwnPostgres } from '../support/postgres.js';
import { MemoryLog } from './support/memory-log.js';
import { some } from './support/recorded.js';
import { nextRelease, WorkerBench } from './support/worker.js';

/** A worker that waits for a row lock in the recovery state. */
const waitsForTheRow = `
  SELECT FROM pg_stat_activity
  WHERE application_name = 'plaza-projector-serving' AND datname = current_database() AND wait_event_type = 'Lock'`;

describe('a worker of a group', () => {
  let postgres: OwnPostgres;
  let bench: WorkerBench;
  let log: MemoryLog;

  beforeAll(async () => {
    postgres = await startOwnPostgres();
  });
  afterAll(() => postgres.stop());
  beforeEach(async () => {
    bench = WorkerBench.open(await postgres.createReadStore());
    log = new MemoryLog();
  });
  afterEach(() => bench.close());

  const waitForPosts = (...ids: string[]) => bench.waitForPosts(...ids);

  test('founds the network and publishes an incarnation for an empty log', async () => {
    bench.start(log);
    const state = await until(() => bench.state());
    const [founded] = await log.read('network');
    expect(state).toMatchObject({
      status: 'serving',
      appliedPosition: undefined,
      versions: versionsOf(serving),
    });
    expect(founded?.event.data).toMatchObject({ networkId: state.networkId });
  });

  test('reconnects when a publication is announced, without a warning', async () => {
    const session = async () => {
      const { rows } = await bench.pool.query<{ pid: number }>(
        `SELECT pid FROM pg_stat_activity
        WHERE application_name = 'plaza-projector-serving' AND datname = current_database()`,
      );
      return rows[0]?.pid;
    };
    log.add(some.founding('n'), some.post('p1'));
    bench.start(log);
    await waitForPosts('p1');
    const before = await until(session);
    await until(async () => {
      // Repeated, since the worker also reconnects after its own publication and may not be listening yet.
      await bench.pool.query(`NOTIFY ${PUBLICATION_CHANNEL}`);
      return ((await session()) ?? before) !== before;
    });
    log.add(some.post('p2'));
    await waitForPosts('p1', 'p2');
    expect(bench.logged.filter((line) => JSON.parse(line).level > 30)).toEqual([]);
  });

  test('applies existing events, then new ones, and records its checkpoint', async () => {
    log.add(some.founding('n'), some.post('p1'));
    bench.start(log);
    await waitForPosts('p1');
    const [last] = log.add(some.post('p2'));
    await waitForPosts('p1', 'p2');
    expect((await bench.state())?.appliedPosition).toBe(last?.position);
  });

  test('settles what a suspension and an erasure leave, after a batch and while the log is silent', async () => {
    log.add(some.founding('n'), ...['ada', 'bob', 'cleo', 'dan'].map((actorId) => some.account(actorId)));
    log.add(
      some.follow('ada', 'bob'),
      some.follow('cleo', 'bob'),
      some.follow('bob', 'dan'),
      some.post('p1'),
    );
    bench.start(log);
    await waitForPosts('p1');
    const { schemaName } = await until(() => bench.state());
    const counts = async (column: string) =>
      (await bench.pool.query(`SELECT actor_id, ${column} FROM ${schemaName}.relation_count ORDER BY 1`))
        .rows;
    log.add(some.suspension('bob'));
    await until(async () => (await counts('hidden_following')).some((row) => row.hidden_following === '1'));
    expect(await counts('hidden_following')).toMatchObject([
      { actor_id: 'ada', hidden_following: '1' },
      { actor_id: 'bob', hidden_following: '0' },
      { actor_id: 'cleo', hidden_following: '1' },
      { actor_id: 'dan', hidden_following: '0' },
    ]);
    log.add(some.erasure('bob'));
    await until(async () => (await counts('following')).length === 3);
    expect(await counts('following + followers + hidden_following + hidden_followers AS sum')).toEqual(
      ['ada', 'cleo', 'dan'].map((actorId) => ({ actor_id: actorId, sum: '0' })),
    );
  });

  test('publishes only at the end of the log', async () => {
    log.add(some.founding('n'), ...Array.from({ length: 2_500 }, (_, index) => some.post(`p${index}`)));
    bench.start(log);
    await until(() => bench.state());
    expect(await bench.posts()).toMatchObject({ counted: 2_500 });
  });

  test('sends heartbeats during a build of any length', async () => {
    const { promise: built, resolve } = Promise.withResolvers<void>();
    bench.run({
      group: serving,
      log,
      prepare: async (client) => ({
        ...(await fixedSchemaTarget(client, serving, 'public')),
        build: () => built,
      }),
    });
    const hasHeartbeat = async () =>
      (await bench.pool.query('SELECT FROM recovery.heartbeat')).rowCount === 1;
    try {
      expect(await until(hasHeartbeat)).toBe(true);
    } finally {
      resolve();
    }
  });

  test('resumes in the same incarnation after a restart', async () => {
    log.add(some.founding('n'), some.post('p1'));
    const first = bench.start(log);
    const before = await until(() => bench.state());
    await first.stop();
    log.add(some.post('p2'));
    bench.start(log);
    await waitForPosts('p1', 'p2');
    expect((await bench.state())?.incarnation).toBe(before.incarnation);
  });

  describe('of a later version', () => {
    const waitForNextIncarnation = (before: PublicationState) =>
      until(async () => {
        const state = await bench.state();
        return state?.incarnation !== before.incarnation && state;
      });
    const waitForOlderToStop = () =>
      until(() => bench.logged.some((line) => line.includes('written by a later release')));

    test('builds another incarnation beside the published one, and switches to it', async () => {
      log.add(some.founding('n'), some.post('p1'));
      bench.start(log);
      const before = await until(() => bench.state());
      bench.start(log, nextRelease);
      expect(await waitForNextIncarnation(before)).toMatchObject({
        networkId: before.networkId,
        versions: versionsOf(nextRelease),
      });
      await waitForPosts('p1');
    });

    test('stops an older worker from writing, which logs the reason', async () => {
      log.add(some.founding('n'), some.post('p1'));
      bench.start(log);
      const before = await until(() => bench.state());
      bench.start(log, nextRelease);
      const after = await waitForNextIncarnation(before);
      // After a reconnect, too, the older worker must not mistake the state for a first build.
      await bench.breakConnections();
      await waitForOlderToStop();
      log.add(some.post('p2'));
      await waitForPosts('p1', 'p2');
      expect((await bench.state())?.incarnation).toBe(after.incarnation);
    });

    test('stops an older worker that starts later from building', async () => {
      log.add(some.founding('n'), some.post('p1'));
      bench.start(log, nextRelease);
      const published = await until(() => bench.state());
      bench.start(log);
      await waitForOlderToStop();
      expect((await bench.state())?.incarnation).toBe(published.incarnation);
      expect((await bench.pool.query('SELECT FROM recovery.incarnation')).rowCount).toBe(1);
    });

    test('stops writing when an operator rolls back to the older incarnation', async () => {
      log.add(some.founding('n'), some.post('p1'));
      bench.start(log);
      const before = await until(() => bench.state());
      const later = bench.start(log, nextRelease);
      await waitForNextIncarnation(before);
      await waitForOlderToStop();
      await later.stop();
      log.add(some.post('p2'));
      await bench.pool.query('UPDATE recovery.publication SET incarnation = $1', [before.incarnation]);
      await waitForPosts('p1', 'p2');
      expect((await bench.state())?.incarnation).toBe(before.incarnation);
    });

    test('publishes only when it is as far as the published incarnation', async () => {
      log.add(some.founding('n'), some.post('p1'));
      const first = bench.start(log);
      const before = await until(() => bench.state());
      await first.stop();
      const setTo = (client: Pool | PoolClient, position: bigint) =>
        client.query('UPDATE recovery.incarnation SET applied_position = $2 WHERE incarnation = $1', [
          before.incarnation,
          String(position),
        ]);
      const position = before.appliedPosition ?? 0n;
      const lock = await bench.pool.connect();
      await lock.query('BEGIN');
      await setTo(lock, position);
      bench.start(log, nextRelease);
      // It is about to publish while the worker of the published incarnation applies one more batch.
      await until(async () => (await bench.pool.query(waitsForTheRow)).rowCount);
      await setTo(lock, position + 100n);
      await lock.query('COMMIT');
      lock.release();
      await until(() =>
        bench.logged.some((line) => line.includes('catching up with the published incarnation')),
      );
      expect((await bench.state())?.incarnation).toBe(before.incarnation);
      // It retries without another event.
      await setTo(bench.pool, position);
      await waitForNextIncarnation(before);
    });
  });

  test('waits as a standby while another works, and takes over when that one ends', async () => {
    log.add(some.founding('n'), some.post('p1'));
    const first = bench.start(log);
    await waitForPosts('p1');
    bench.start(log);
    await until(() => bench.logged.some((line) => line.includes('standing by')));
    await first.stop();
    log.add(some.post('p2'));
    await waitForPosts('p1', 'p2');
    expect(await bench.posts()).toMatchObject({ counted: 2 });
  });

  test('skips events that another worker has applied meanwhile', async () => {
    log.add(some.founding('n'), some.post('p1'));
    bench.start(log);
    await waitForPosts('p1');
    const { schemaName } = (await bench.state()) ?? {};
    const other = await bench.pool.connect();
    await other.query('BEGIN');
    await other.query('SELECT FROM recovery.incarnation FOR UPDATE');
    const [p2] = log.add(some.post('p2'));
    await until(async () => (await bench.pool.query(waitsForTheRow)).rowCount);
    await other.query(`
      INSERT INTO ${schemaName}.post SELECT 'p2', ${p2?.position}, author_actor_id, app_id, 'by another', audience,
        status, revision, created_at FROM ${schemaName}.post;
      UPDATE ${schemaName}.post_count SET posts = 2`);
    await other.query('UPDATE recovery.incarnation SET applied_position = $1, applied_event_id = $2', [
      String(p2?.position),
      p2?.id,
    ]);
    await other.query('COMMIT');
    other.release();
    await until(() =>
      bench.logged.some((line) => line.includes('another worker has moved the checkpoint of this group')),
    );
    log.add(some.post('p3'));
    await waitForPosts('p1', 'p2', 'p3');
    expect(await bench.posts()).toMatchObject({ counted: 3 });
    const { rows } = await bench.pool.query(`SELECT text FROM ${schemaName}.post ORDER BY position`);
    expect(rows.map(({ text }) => text as string)).toEqual(['text of p1', 'by another', 'text of p3']);
  });

  test('waits for an unavailable log and resumes by itself, with one log line', async () => {
    log.add(some.founding('n'), some.post('p1'));
    bench.start(log);
    await waitForPosts('p1');
    log.setDown(true);
    await until(() => bench.logged.some((line) => line.includes('the log is down')));
    log.add(some.post('p2'));
    log.setDown(false);
    await waitForPosts('p1', 'p2');
    await until(() => bench.logged.some((line) => line.includes('working again')));
    expect(bench.logged.filter((line) => line.includes('group interrupted'))).toHaveLength(1);
  });

  test('waits for a crashed Postgres and resumes by itself', async () => {
    log.add(some.founding('n'), some.post('p1'));
    bench.start(log);
    await waitForPosts('p1');
    await postgres.kill();
    log.add(some.post('p2'));
    await until(() => bench.logged.some((line) => line.includes('group interrupted')));
    await postgres.start();
    await until(() => bench.logged.some((line) => line.includes('working again')));
    await waitForPosts('p1', 'p2');
    expect(await bench.posts()).toMatchObject({ counted: 2 });
  });
});

/** @slow */
import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import type { PoolClient } from 'pg';
import { openLog } from '../../src/log/open-log.js';
import type { OpenLog } from '../../src/log/open-log.js';
import { BuildConnection } from '../../projections/incarnations/building/build-connection.js';
import type { BuildProgress } from '../../projections/incarnations/building/build-progress.js';
import { Builds } from '../projections/support/builds.js';
import { MemoryLog } from '../projections/support/memory-log.js';
import { some } from '../projections/support/recorded.js';
import { builtProcess } from '../support/command.js';
import { startEmbeddedEventStore } from '@plaza/event-store/testing';
import type { EmbeddedEventStore } from '@plaza/event-store/testing';
import { startTestPostgres } from '../support/postgres.js';
import type { TestPostgres } from '../support/postgres.js';
import { CHECKS_MS, until } from '../support/until.js';
import { retryWhileUnavailable } from '../support/retry-while-unavailable.js';

const ENTRY = builtProcess('projector');

/** A little more than three batches. */
const POSTS = 9_000;

const buildersWaitingForALock = `
  SELECT FROM pg_stat_activity
  WHERE application_name LIKE 'plaza-build%' AND datname = current_database() AND wait_event_type = 'Lock'`;

/** The working one and the standby. */
const workersOfServing = `
  SELECT FROM pg_stat_activity
  WHERE application_name = 'plaza-projector-serving' AND datname = current_database()`;

describe('an interrupted build', () => {
  let postgres: TestPostgres;

  beforeAll(async () => {
    postgres = await startTestPostgres();
  });
  afterAll(() => postgres.stop());

  /** Locks a table until the returned function is called. */
  async function lockTable(builds: Builds, table: string, mode: string): Promise<() => Promise<void>> {
    const client: PoolClient = await builds.pool.connect();
    await client.query(`BEGIN; LOCK TABLE ${table} IN ${mode} MODE`);
    return async () => {
      await client.query('ROLLBACK');
      client.release();
    };
  }

  describe('by an abort', () => {
    let builds: Builds;

    beforeAll(async () => {
      builds = Builds.open(await postgres.createReadStore());
    });
    afterAll(() => builds.close());

    test('ends its current statement, gives the reason, and later resumes at the unfinished step', async () => {
      const log = new MemoryLog();
      log.add(some.account('ada'), some.post('p1'), some.follow('bob'));
      const incarnation = await builds.begin();
      // This lock allows writes, but no index.
      const release = await lockTable(builds, `${incarnation.schemaName}.post`, 'ROW EXCLUSIVE');
      const stopping = new AbortController();
      const building = builds.build(log, incarnation, { signal: stopping.signal });
      await until(async () => (await builds.pool.query(buildersWaitingForALock)).rowCount);
      stopping.abort(new Error('an operator has stopped it'));
      await expect(building).rejects.toThrow('an operator has stopped it');
      expect((await builds.pool.query(buildersWaitingForALock)).rowCount).toBe(0);
      await release();
      const reports: BuildProgress[] = [];
      await builds.build(log, incarnation, { onProgress: (progress) => reports.push(progress) });
      expect(reports.map(({ phase }) => phase)).not.toContain('loading');
      expect((await builds.verify(log, incarnation)).differences).toEqual([]);
    });

    test('before it began, does nothing', async () => {
      const incarnation = await builds.begin();
      const signal = AbortSignal.abort(new Error('too late'));
      await expect(builds.build(new MemoryLog(), incarnation, { signal })).rejects.toThrow('too late');
      await expect(builds.verify(new MemoryLog(), incarnation, { signal })).rejects.toThrow('too late');
    });

    test('reports done, total, rate and seconds left', async () => {
      const log = new MemoryLog();
      log.add(...Array.from({ length: 5_000 }, (_, n) => some.post(`p${n}`)));
      const told: BuildProgress[] = [];
      const incarnation = await builds.begin();
      const options = { onProgress: (progress: BuildProgress) => void told.push(progress) };
      await builds.build(log, incarnation, options);
      await builds.verify(log, incarnation, options);
      expect([...new Set(told.map(({ phase }) => phase))]).toEqual(['loading', 'finishing', 'verifying']);
      expect(told.find(({ phase }) => phase === 'loading')).toMatchObject({ done: 4_000, total: 5_000 });
      const last = told.at(-1);
      expect(last).toMatchObject({ done: 5_000, total: 5_000, secondsLeft: 0 });
      expect(last?.rate).toBeGreaterThan(0);
    });
  });

  test("by a frozen worker, ends the worker's transaction and rejects its later statements", async () => {
    const builds = Builds.open(await postgres.createReadStore());
    const log = new MemoryLog();
    log.add(some.account('ada'), some.post('p1'));
    const incarnation = await builds.begin();
    const frozen = await BuildConnection.open(builds.databaseUrl, [incarnation.schemaName]);
    const { client } = frozen;
    await client.query('BEGIN; DELETE FROM post; LOCK TABLE post IN ACCESS EXCLUSIVE MODE');
    await builds.build(log, incarnation);
    await expect(client.query('COMMIT')).rejects.toThrow(/not queryable/);
    expect((await builds.verify(log, incarnation)).differences).toEqual([]);
    await frozen.close();
    await builds.close();
  });

  describe('by a killed or frozen worker', () => {
    let eventStore: EmbeddedEventStore;
    let opened: OpenLog;
    let env: NodeJS.ProcessEnv;
    const workers: ChildProcess[] = [];

    beforeAll(async () => {
      eventStore = await startEmbeddedEventStore();
      const stores = { eventStoreUrl: eventStore.url, vaultDatabaseUrl: await postgres.createDatabase() };
      opened = await openLog({ ...stores, applicationName: 'test' });
      env = {
        ...process.env,
        ROLE: 'projector',
        LOG_LEVEL: 'fatal',
        EVENTSTORE_URL: stores.eventStoreUrl,
        VAULT_DATABASE_URL: stores.vaultDatabaseUrl,
      };
      for (let n = 0; n < POSTS; n += 100) {
        const events = Array.from({ length: 100 }, (_, k) => ({
          id: randomUUID(),
          event: some.post(`p${n + k}`, { authorActorId: `a${k % 50}` }),
        }));
        const append = { stream: `post-${n}`, events, metadata: { requestId: 'test' } };
        await retryWhileUnavailable(() => opened.log.append({ ...append, expected: 'no_stream' }));
      }
    });
    // They would go on to ask their stores for events.
    afterEach(async () => {
      for (const worker of workers.splice(0)) await kill(worker);
    });
    afterAll(async () => {
      await opened.close();
      await eventStore.stop();
    });

    async function start(databaseUrl: string): Promise<ChildProcess> {
      const worker = fork(ENTRY, {
        env: { ...env, DATABASE_URL: databaseUrl },
        stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      });
      workers.push(worker);
      await once(worker, 'message');
      return worker;
    }

    test.each<[string, string, string, NodeJS.Signals]>([
      ['killed during a batch', 'SHARE', 'loading', 'SIGKILL'],
      ['killed during a step', 'ROW EXCLUSIVE', 'finishing', 'SIGKILL'],
      ['frozen during a batch', 'SHARE', 'loading', 'SIGSTOP'],
      ['frozen during a step', 'ROW EXCLUSIVE', 'finishing', 'SIGSTOP'],
    ])('%s, resumes with the same incarnation', async (_, mode, state, signal) => {
      const databaseUrl = await postgres.createReadStore();
      const builds = Builds.open(databaseUrl);
      const row = async (where: string) => {
        const { rows } = await builds.pool.query<{ incarnation: string; schema_name: string }>(
          `SELECT * FROM recovery.incarnation WHERE ${where}`,
        );
        return rows[0];
      };
      const first = await start(databaseUrl);
      const begun = await until(() => row('true'));
      const release = await lockTable(builds, `${begun.schema_name}.post`, mode);
      const isInState = () => row(`build_state = '${state}'`);
      await until(
        async () => (await isInState()) && (await builds.pool.query(buildersWaitingForALock)).rowCount,
        CHECKS_MS,
      );
      if (signal === 'SIGKILL') await kill(first);
      else first.kill(signal);
      await release();
      await start(databaseUrl);
      const isPublished = 'incarnation IN (SELECT incarnation FROM recovery.publication)';
      const published = await until(() => row(isPublished), CHECKS_MS);
      expect(published).toMatchObject({ incarnation: begun.incarnation, build_state: 'built' });
      if (signal === 'SIGSTOP') {
        first.kill('SIGCONT');
        await until(async () => (await builds.pool.query(workersOfServing)).rowCount === 2);
      }
      const { schema_name: schemaName, incarnation } = published;
      const { tables, differences } = await builds.verify(opened.log, { schemaName, incarnation });
      expect(differences).toEqual([]);
      expect(tables.find(({ table }) => table === 'post')?.rows).toBe(POSTS);
      await builds.close();
    });
  });
});

async function kill(worker: ChildProcess): Promise<void> {
  if (worker.exitCode !== null || worker.signalCode !== null) return;
  const exited = once(worker, 'exit');
  worker.kill('SIGKILL');
  await exited;
}

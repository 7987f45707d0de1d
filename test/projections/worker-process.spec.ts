import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { openLog } from '../../src/log/open-log.js';
import type { OpenLog } from '../../src/log/open-log.js';
import type { StoredEvent } from '../../src/log/registry.js';
import { builtProcess } from '../support/command.js';
import { startEmbeddedEventStore } from '@plaza/event-store/testing';
import type { EmbeddedEventStore } from '@plaza/event-store/testing';
import { startTestPostgres } from '../support/postgres.js';
import type { TestPostgres } from '../support/postgres.js';
import { until } from '../support/until.js';
import { some } from './support/recorded.js';
import { WorkerBench } from './support/worker.js';
import { retryWhileUnavailable } from '../support/retry-while-unavailable.js';

const ENTRY = builtProcess('projector');
const ROUNDS = 5;
const POSTS_A_ROUND = 200;

/** A worker that has moved its checkpoint and waits for a lock to write its rows. */
const workersWaitingToWrite = `
  SELECT 1 FROM pg_stat_activity
  WHERE application_name = 'plaza-projector-serving' AND wait_event_type = 'Lock' AND backend_xid IS NOT NULL`;

/** The worker as in production: a process of the built code, with a real event store and a real Postgres. */
describe('the worker process', () => {
  let postgres: TestPostgres;
  let eventStore: EmbeddedEventStore;
  let bench: WorkerBench;
  let opened: OpenLog;
  let env: NodeJS.ProcessEnv;
  const workers: ChildProcess[] = [];

  beforeAll(async () => {
    [postgres, eventStore] = await Promise.all([startTestPostgres(), startEmbeddedEventStore()]);
    bench = WorkerBench.open(await postgres.createReadStore());
    const stores = { eventStoreUrl: eventStore.url, vaultDatabaseUrl: await postgres.createDatabase() };
    opened = await openLog({ ...stores, applicationName: 'test' });
    env = {
      ...process.env,
      ROLE: 'projector',
      LOG_LEVEL: 'fatal',
      EVENTSTORE_URL: stores.eventStoreUrl,
      DATABASE_URL: bench.databaseUrl,
      VAULT_DATABASE_URL: stores.vaultDatabaseUrl,
    };
  });
  afterEach(() => Promise.all(workers.map((worker) => end(worker, 'SIGKILL'))));
  afterAll(async () => {
    await opened.close();
    await bench.close();
    await Promise.all([postgres.stop(), eventStore.stop()]);
  });

  const start = async (): Promise<ChildProcess> => {
    const worker = fork(ENTRY, { env, stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
    workers.push(worker);
    await once(worker, 'message');
    return worker;
  };
  const append = (stream: string, event: StoredEvent) => {
    const id = randomUUID();
    return retryWhileUnavailable(() =>
      opened.log.append({
        stream,
        expected: 'no_stream',
        events: [{ id, event }],
        metadata: { requestId: 'test' },
      }),
    );
  };
  const appendPosts = (round: number) =>
    Promise.all(
      Array.from({ length: POSTS_A_ROUND }, (_, index) => {
        const id = `r${round}p${index}`;
        return append(`post-${id}`, some.post(id, { authorActorId: `a${index % 7}` }));
      }),
    );
  const waitForPostCount = (posts: number) =>
    until(async () => {
      const { ids, counted } = await bench.posts();
      return ids.length === posts && counted === posts;
    });

  test('loses nothing and applies nothing twice when it is killed repeatedly', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const worker = await start();
      const appending = appendPosts(round);
      await pause(30 * round);
      await end(worker, 'SIGKILL');
      await appending;
    }
    await start();
    await expect(waitForPostCount(ROUNDS * POSTS_A_ROUND)).resolves.toBe(true);
  });

  test('leaves nothing of a transaction that its kill interrupted', async () => {
    const worker = await start();
    await append('post-m1', some.post('m1'));
    await until(async () => (await bench.posts()).ids.includes('m1'));
    const blocker = await bench.pool.connect();
    try {
      await blocker.query(`BEGIN; LOCK TABLE ${(await bench.state())?.schemaName}.post IN EXCLUSIVE MODE`);
      await append('post-m2', some.post('m2'));
      await until(async () => (await bench.pool.query(workersWaitingToWrite)).rowCount);
      await end(worker, 'SIGKILL');
      await start();
    } finally {
      // Ends the transaction in any state.
      blocker.release(true);
    }
    await until(async () => (await bench.posts()).ids.includes('m2'));
    const { ids, counted } = await bench.posts();
    expect(counted).toBe(ids.length);
  });

  test('is replaced by its standby', async () => {
    const [first] = [await start(), await start()];
    await append('post-s1', some.post('s1'));
    await until(async () => (await bench.posts()).ids.includes('s1'));
    await end(first, 'SIGKILL');
    await append('post-s2', some.post('s2'));
    await until(async () => (await bench.posts()).ids.includes('s2'));
    const { ids, counted } = await bench.posts();
    expect(counted).toBe(ids.length);
  });

  test('resumes after a kill of the event store', async () => {
    await start();
    await append('post-e1', some.post('e1'));
    await until(async () => (await bench.posts()).ids.includes('e1'));
    const { dir, port } = eventStore;
    await eventStore.kill();
    eventStore = await startEmbeddedEventStore({ dir, port });
    await append('post-e2', some.post('e2'));
    await until(async () => (await bench.posts()).ids.includes('e2'));
    const { ids, counted } = await bench.posts();
    expect(counted).toBe(ids.length);
  });

  test('keeps the authority store up to date, with its own checkpoint', async () => {
    await start();
    const { position } = await append('application-app1', some.application('app1'));
    const applied = `SELECT name FROM authority.application JOIN recovery.checkpoint ON group_name = 'authority'
      WHERE app_id = 'app1' AND applied_position >= $1`;
    const { rows } = await until(async () => {
      const found = await bench.pool.query<{ name: string }>(applied, [String(position)]);
      return found.rowCount === 1 && found;
    });
    expect(rows).toEqual([{ name: 'App app1' }]);
  });

  test('stops cleanly on a signal', async () => {
    const worker = await start();
    expect(await end(worker, 'SIGTERM')).toBe(0);
  });

  test('stops cleanly when its parent has ended', async () => {
    const worker = await start();
    const exited = once(worker, 'exit') as Promise<[number | null]>;
    worker.disconnect();
    expect((await exited)[0]).toBe(0);
  });

  test('refuses to start without its stores, and names the variables', async () => {
    const worker = fork(ENTRY, { env: { ROLE: 'projector' }, stdio: ['ignore', 'ignore', 'pipe', 'ipc'] });
    let said = '';
    worker.stderr?.on('data', (chunk: Buffer) => (said += chunk.toString()));
    const [code] = (await once(worker, 'close')) as [number | null];
    expect(code).toBe(1);
    expect(said).toContain('DATABASE_URL: is required unless ROLE is all');
  });
});

/** Returns the exit code. */
async function end(worker: ChildProcess, signal: NodeJS.Signals): Promise<number | null> {
  if (worker.exitCode !== null || worker.signalCode !== null) return worker.exitCode;
  const exited = once(worker, 'exit') as Promise<[number | null]>;
  worker.kill(signal);
  return (await exited)[0];
}

/**
 * @slow
 * @waits
 */
import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { openLog } from '../../src/log/open-log.js';
import type { OpenLog } from '../../src/log/open-log.js';
import { builtProcess, environment } from '../support/command.js';
import { startEmbeddedEventStore } from '@plaza/event-store/testing';
import type { EmbeddedEventStore } from '@plaza/event-store/testing';
import { startTestPostgres } from '../support/postgres.js';
import type { TestPostgres } from '../support/postgres.js';
import { retryWhileUnavailable } from '../support/retry-while-unavailable.js';
import { startTcpProxy } from '../support/tcp-proxy.js';
import { until } from '../support/until.js';
import { some } from './support/recorded.js';
import { WorkerBench } from './support/worker.js';

const ENTRY = builtProcess('projector');

/** The advisory locks of a worker: one for each group, and one for jobs. */
const LOCKS = 5;

interface Worker {
  readonly process: ChildProcess;
  /** Its log output. */
  said(): string;
}

/** Real worker processes. One gets SIGSTOP: it keeps its connections and answers nothing. */
describe('a frozen worker', () => {
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
    env = environment({
      ROLE: 'projector',
      EVENTSTORE_URL: stores.eventStoreUrl,
      DATABASE_URL: bench.databaseUrl,
      VAULT_DATABASE_URL: stores.vaultDatabaseUrl,
    });
  });
  afterEach(() => Promise.all(workers.splice(0).map(end)));
  afterAll(async () => {
    await opened.close();
    await bench.close();
    await Promise.all([postgres.stop(), eventStore.stop()]);
  });

  const start = async (): Promise<Worker> => {
    const worker = fork(ENTRY, { env, stdio: ['ignore', 'pipe', 'pipe', 'ipc'] });
    workers.push(worker);
    let said = '';
    for (const stream of [worker.stdout, worker.stderr])
      stream?.on('data', (chunk: Buffer) => (said += chunk.toString()));
    await once(worker, 'message');
    return { process: worker, said: () => said };
  };
  /** Two workers: the first has all groups, the second is the standby of each. */
  const startTwo = async (): Promise<[Worker, Worker]> => {
    const first = await start();
    // A worker releases its lock for a moment after a publication. A post that is shown afterwards proves that it has
    // it again.
    await until(() => bench.state());
    const id = randomUUID();
    await appendPost(id);
    await waitUntilShown(id);
    await until(async () => (await holders()).length === LOCKS);
    const second = await start();
    await until(() => second.said().split('standing by').length > 4);
    return [first, second];
  };
  /** The connections that hold a lock of a worker. */
  const holders = async (): Promise<number[]> => {
    const { rows } = await bench.pool.query<{ pid: number }>(
      `SELECT pid FROM pg_locks JOIN pg_stat_activity USING (pid)
      WHERE locktype = 'advisory' AND granted AND application_name ~ '^plaza-(projector|jobs)'`,
    );
    return rows.map(({ pid }) => pid);
  };
  const appendPost = (id: string) =>
    retryWhileUnavailable(() =>
      opened.log.append({
        stream: `post-${id}`,
        expected: 'no_stream',
        events: [{ id: randomUUID(), event: some.post(id) }],
        metadata: { requestId: 'test' },
      }),
    );
  const waitUntilShown = (id: string) => until(async () => (await bench.posts()).ids.includes(id));

  test('is replaced by the standby, and becomes the standby when it wakes up', async () => {
    const [first, second] = await startTwo();
    await appendPost('f1');
    await waitUntilShown('f1');
    expect((await bench.posts()).ids).toHaveLength(2);
    const holdersBefore = await holders();
    first.process.kill('SIGSTOP');
    const frozenAt = performance.now();
    await appendPost('f2');
    await waitUntilShown('f2');
    // The locks that the frozen worker still holds would stay with it when it wakes up.
    await until(async () => (await holders()).filter((pid) => !holdersBefore.includes(pid)).length === LOCKS);
    process.stdout.write(`taken over after ${((performance.now() - frozenAt) / 1_000).toFixed(1)} s\n`);
    const saidBefore = first.said().length;
    first.process.kill('SIGCONT');
    await until(() => first.said().slice(saidBefore).split('standing by').length > 4);
    second.process.kill('SIGSTOP');
    await appendPost('f3');
    await waitUntilShown('f3');
    const { ids, counted } = await bench.posts();
    expect(ids.slice(1)).toEqual(['f1', 'f2', 'f3']);
    expect(counted).toBe(ids.length);
    await until(async () => (await holders()).length === LOCKS);
  });

  test('without the event store leaves its lock to a standby that reaches it', async () => {
    const proxy = await startTcpProxy(eventStore.port);
    const eventStoreUrl = `esdb://127.0.0.1:${proxy.port}?tls=false`;
    const vaultDatabaseUrl = env['VAULT_DATABASE_URL'] ?? '';
    const through = await openLog({ eventStoreUrl, vaultDatabaseUrl, applicationName: 'test' });
    const first = bench.start(through.log);
    await until(() => bench.state());
    await appendPost('h1');
    await waitUntilShown('h1');
    const second = bench.start(opened.log);
    try {
      await until(() => bench.logged.some((line) => line.includes('standing by')));
      await proxy.cut();
      await appendPost('h2');
      await waitUntilShown('h2');
    } finally {
      await Promise.all([first.stop(), second.stop()]);
      await through.close();
      await proxy.close();
    }
    expect((await bench.posts()).ids.slice(-2)).toEqual(['h1', 'h2']);
  });

  test('has sent its whole batch, which is committed once while it is frozen', async () => {
    const [first] = await startTwo();
    await appendPost('g1');
    await waitUntilShown('g1');
    const before = await bench.posts();
    const blocker = await bench.pool.connect();
    try {
      await blocker.query(`BEGIN; LOCK TABLE ${(await bench.state())?.schemaName}.post IN EXCLUSIVE MODE`);
      await appendPost('g2');
      // It has moved its checkpoint, and waits to write its rows.
      await until(
        async () =>
          (
            await bench.pool.query(
              `SELECT FROM pg_stat_activity
              WHERE application_name = 'plaza-projector-serving' AND wait_event_type = 'Lock' AND backend_xid IS NOT NULL`,
            )
          ).rowCount,
      );
      first.process.kill('SIGSTOP');
    } finally {
      // Its statement ends now, while it cannot read the result.
      blocker.release(true);
    }
    await waitUntilShown('g2');
    // One of the two goes on: this one, or the standby if the session of this one has ended meanwhile.
    first.process.kill('SIGCONT');
    await appendPost('g3');
    await waitUntilShown('g3');
    const { ids, counted } = await bench.posts();
    expect(ids).toEqual([...before.ids, 'g2', 'g3']);
    expect(counted).toBe(ids.length);
  });
});

async function end(worker: ChildProcess): Promise<void> {
  if (worker.exitCode !== null || worker.signalCode !== null) return;
  const exited = once(worker, 'exit');
  worker.kill('SIGKILL');
  await exited;
}

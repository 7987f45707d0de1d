import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import type { Readiness } from '../../src/server/health/health.js';
import { freePort } from '../../src/launch/free-port.js';
import { builtProcess, environment } from '../support/command.js';
import { startEmbeddedEventStore } from '@plaza/event-store/testing';
import type { EmbeddedEventStore } from '@plaza/event-store/testing';
import { startOwnPostgres } from '../support/postgres.js';
import type { OwnPostgres } from '../support/postgres.js';
import { startTcpProxy } from '../support/tcp-proxy.js';
import { until } from '../support/until.js';
import { WorkerBench } from './support/worker.js';

const ENTRY = builtProcess('projector');
const LIVE = { status: 'ok' };
const ok = { status: 'ok' };
const allOk = {
  status: 'ok',
  components: {
    eventStore: ok,
    database: ok,
    serving: ok,
    authority: ok,
    audit: ok,
    cases: ok,
    witness: ok,
    clock: ok,
  },
};

/** Real worker processes, each with a port of its own. */
describe('the probes of a worker', () => {
  let postgres: OwnPostgres;
  let eventStore: EmbeddedEventStore;
  let bench: WorkerBench;
  let env: NodeJS.ProcessEnv;
  const workers: ChildProcess[] = [];

  beforeAll(async () => {
    [postgres, eventStore] = await Promise.all([startOwnPostgres(), startEmbeddedEventStore()]);
    bench = WorkerBench.open(await postgres.createReadStore());
    env = environment({
      ROLE: 'projector',
      LOG_LEVEL: 'fatal',
      EVENTSTORE_URL: eventStore.url,
      DATABASE_URL: bench.databaseUrl,
      VAULT_DATABASE_URL: await postgres.createDatabase(),
      WITNESS_DATABASE_URL: await postgres.createDatabase(),
    });
  });
  afterEach(() => Promise.all(workers.splice(0).map(end)));
  afterAll(async () => {
    await bench.close();
    await Promise.all([postgres.stop(), eventStore.stop()]);
  });

  /** Starts a worker and returns its port. */
  const start = async (settings: NodeJS.ProcessEnv = {}): Promise<number> => {
    const port = await freePort();
    const own = { ...env, METRICS_PORT: String(port), ...settings };
    workers.push(spawn(process.execPath, [ENTRY], { env: own, stdio: ['ignore', 'ignore', 'inherit'] }));
    return port;
  };
  const get = (port: number, path: string) => fetch(`http://127.0.0.1:${port}${path}`);
  const isReady = (port: number) =>
    until(() =>
      get(port, '/readyz').then(
        ({ status }) => status === 200,
        () => false,
      ),
    );
  /** Waits until a component is not ready for this reason. */
  const notReady = (port: number, component: string, reason: RegExp) =>
    until(async () => {
      const answer = await get(port, '/readyz').catch(() => undefined);
      if (answer?.status !== 503) return undefined;
      const said = (await answer.json()) as Readiness;
      return reason.test(said.components[component]?.reason ?? '') && { answer, said };
    });

  test('report ready for a working worker and for a standby', async () => {
    const first = await start();
    await isReady(first);
    const second = await start();
    await isReady(second);
    for (const port of [first, second]) {
      expect(await (await get(port, '/livez')).json()).toEqual(LIVE);
      const well = await until(async () => {
        const said = (await (await get(port, '/readyz')).json()) as Readiness;
        return said.status === 'ok' && said;
      });
      expect(well).toEqual(allOk);
    }
    const metrics = await until(async () => {
      const answers = await Promise.all(
        [first, second].map(async (port) => (await get(port, '/metrics')).text()),
      );
      return answers.every((answer) => answer.includes('process_cpu_seconds_total')) && answers.join('');
    });
    for (const state of ['working', 'standby'])
      expect(metrics).toContain(`plaza_worker_group{group="authority",state="${state}"} 1`);
  });

  test('end a connection with more than eight open answers', async () => {
    const port = await start();
    await until(() => get(port, '/livez').catch(() => undefined));
    const socket = connect(port, '127.0.0.1');
    socket.write('GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n'.repeat(9));
    await expect(text(socket)).rejects.toMatchObject({ code: 'ECONNRESET' });
  });

  test('answer while the worker waits for its stores at the start, and name the unavailable ones', async () => {
    const nobody = await freePort();
    const away = `127.0.0.1:${nobody}`;
    const url = new URL(bench.databaseUrl);
    url.host = away;
    const port = await start({ DATABASE_URL: url.href });
    const { answer, said } = await notReady(port, 'eventStore', /has not reached the event store/);
    expect(answer.headers.get('retry-after')).toBe('2');
    expect(said).toMatchObject({
      status: 'failed',
      components: {
        database: { status: 'failed', reason: 'Nothing listens at its address.' },
        serving: { status: 'failed', reason: 'This worker has not started this group yet.' },
      },
    });
    expect(JSON.stringify(said)).not.toContain(String(nobody));
    expect(await (await get(port, '/livez')).json()).toEqual(LIVE);
  });

  test('name an unavailable store, and report ready when it is back', async () => {
    const port = await start();
    await isReady(port);
    await eventStore.kill();
    await notReady(port, 'eventStore', /./);
    const { dir, port: at } = eventStore;
    eventStore = await startEmbeddedEventStore({ dir, port: at });
    await isReady(port);
    await postgres.kill();
    await notReady(port, 'database', /Nothing listens at its address/);
    await notReady(port, 'serving', /interrupted/);
    await postgres.start();
    await expect(isReady(port)).resolves.toBe(true);
  });

  test('name a database that is lost in the middle of its check', async () => {
    const url = new URL(bench.databaseUrl);
    const front = await startTcpProxy(Number(url.port));
    url.port = String(front.port);
    const port = await start({ DATABASE_URL: url.href });
    await isReady(port);
    front.loseAnswerTo('generate_series');
    const said = (await (await get(port, '/readyz')).json()) as Readiness;
    expect(said.components['database']).toMatchObject({ status: 'failed' });
    await expect(isReady(port)).resolves.toBe(true);
    await front.close();
  });

  test('give the reason why a group has stopped', async () => {
    const port = await start();
    await isReady(port);
    const quarantine = `UPDATE recovery.publication SET status = 'quarantined', reason = 'a test'`;
    // A ready worker may still be building the first read models.
    await until(async () => (await bench.pool.query(quarantine)).rowCount === 1);
    const { said } = await notReady(port, 'serving', /stands still: .* is in quarantine/);
    expect(said.components).toMatchObject({ authority: ok, eventStore: ok });
  });

  test('need a free port: another program on it ends the start with one line', async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const { port } = other.address() as AddressInfo;
    const own = { ...env, METRICS_PORT: String(port) };
    const worker = spawn(process.execPath, [ENTRY], { env: own, stdio: ['ignore', 'ignore', 'pipe'] });
    workers.push(worker);
    const [said, [code]] = await Promise.all([text(worker.stderr), once(worker, 'exit')]);
    expect(said).toBe(`METRICS_PORT: nothing can listen on 127.0.0.1:${port} here (EADDRINUSE)\n`);
    expect(code).toBe(1);
    await new Promise((resolve) => other.close(resolve));
  });
});

async function end(worker: ChildProcess): Promise<void> {
  if (worker.exitCode !== null || worker.signalCode !== null) return;
  const exited = once(worker, 'exit');
  worker.kill('SIGKILL');
  await exited;
}

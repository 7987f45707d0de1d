import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { freePort } from '../../src/launch/free-port.js';
import { openLog } from '../../src/log/open-log.js';
import type { OpenLog } from '../../src/log/open-log.js';
import { builtProcess, environment } from './command.js';
import { startEmbeddedEventStore } from '@plaza/event-store/testing';
import { startTestPostgres } from './postgres.js';

export interface RestartableProcess {
  readonly name: string;
  /** Resolves when it serves. */
  start(): Promise<void>;
  /** Resolves when it has ended. */
  kill(): Promise<void>;
}

/** Separate processes on one log and one Postgres, as on several machines: no process restarts another. */
export interface SeparateNetwork {
  readonly baseUrl: string;
  readonly env: NodeJS.ProcessEnv;
  readonly ports: readonly number[];
  readonly api: readonly RestartableProcess[];
  readonly workers: readonly RestartableProcess[];
  readonly opened: OpenLog;
  stop(): Promise<void>;
}

/** Starts stores, two API processes and two workers. */
export async function startSeparateNetwork(): Promise<SeparateNetwork> {
  const [postgres, eventStore] = await Promise.all([startTestPostgres(), startEmbeddedEventStore()]);
  const ports = [await freePort(), await freePort()] as const;
  const baseUrl = `http://localhost:${ports[0]}`;
  const env = environment({
    BASE_URL: baseUrl,
    EVENTSTORE_URL: eventStore.url,
    DATABASE_URL: await postgres.createReadStore(),
    VAULT_DATABASE_URL: await postgres.createDatabase(),
    WITNESS_DATABASE_URL: await postgres.createDatabase(),
    OPERATOR_TOKEN: randomBytes(32).toString('hex'),
    RATE_LIMITS: 'off',
    LOG_LEVEL: 'error',
  });
  const api = await Promise.all(
    ports.map(async (port, n) =>
      processOf(`API process ${n}`, 'api', {
        ...env,
        ROLE: 'api',
        PORT: String(port),
        OPERATOR_PORT: String(await freePort()),
      }),
    ),
  );
  const workers = [0, 1].map((n) => processOf(`worker ${n}`, 'projector', { ...env, ROLE: 'projector' }));
  let opened: OpenLog | undefined;
  const stop = async (): Promise<void> => {
    for (const each of [...api, ...workers]) await each.kill();
    await opened?.close();
    await Promise.all([postgres.stop(), eventStore.stop()]);
  };
  try {
    await Promise.all([...workers, ...api].map((each) => each.start()));
    opened = await openLog({
      eventStoreUrl: eventStore.url,
      vaultDatabaseUrl: env['VAULT_DATABASE_URL'] ?? '',
      applicationName: 'test',
    });
  } catch (error) {
    // Without this the test process would never end.
    await stop();
    throw error;
  }
  return {
    baseUrl,
    env: { ...env, OPERATOR_PORT: api[0]?.env['OPERATOR_PORT'] },
    ports,
    api,
    workers,
    opened,
    stop,
  };
}

function processOf(name: string, entry: 'api' | 'projector', env: NodeJS.ProcessEnv) {
  let child: ChildProcess | undefined;
  return {
    name,
    env,
    start: async () => {
      const started = fork(builtProcess(entry), {
        env,
        stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      });
      child = started;
      const ended = once(started, 'exit').then(([code, signal]: unknown[]) => {
        throw new Error(`${name} ended before it was ready: ${String(code ?? signal)}`);
      });
      // A later kill ends it on purpose.
      ended.catch(() => undefined);
      await Promise.race([once(started, 'message'), ended]);
    },
    kill: async () => {
      if (!child || child.exitCode !== null || child.signalCode !== null) return;
      const gone = once(child, 'exit');
      child.kill('SIGKILL');
      await gone;
    },
  };
}

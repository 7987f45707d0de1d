import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { CommandBus } from '@nestjs/cqrs';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { pino } from 'pino';
import { Passwords } from '../../../src/doors/auth/passwords.js';
import { systemClock } from '../../../src/base/support/clock.js';
import type { Clock } from '../../../src/base/support/clock.js';
import { CreateAccount } from '../../../src/commands/account/create-account.js';
import { RegisterApplication } from '../../../src/commands/application/applications.js';
import type { ClientCredentials } from '../../../src/commands/application/applications.js';
import { readConfig } from '../../../src/base/config/config.js';
import type { Config } from '../../../src/base/config/config.js';
import { freePort } from '../../../src/launch/free-port.js';
import type { EventLog } from '../../../src/log/event-log.js';
import type { KeyVault } from '../../../src/log/vault/key-vault.js';
import type { Postgres } from '../../../src/base/store/postgres.js';
import { newDataDir, removeDataDir } from '../../support/data-dir.js';
import { startEmbeddedEventStore } from '@plaza/event-store/testing';
import { startOwnPostgres, startTestPostgres } from '../../support/postgres.js';
import type { OwnPostgres } from '../../support/postgres.js';
import { retryWhileUnavailable } from '../../support/retry-while-unavailable.js';
import { startAuthServer } from './auth-server.js';
import type { AuthServer } from './auth-server.js';

export const everyScope = ['openid', 'offline_access', 'read', 'post:create', 'block:read'];
export const redirectUri = 'https://pebble.example/callback';
export const password = 'correct horse battery';

/** A store that stops, and starts again with its data at the same address. */
export interface StoppableStore {
  stop(): Promise<void>;
  start(): Promise<void>;
}

/** Also freezes: its processes stop and resume, as with a hanging disk. For Postgres these are the backends. */
export interface FreezableStore extends StoppableStore {
  freeze(): void;
  thaw(): void;
}

/** The authorization server on real stores, which a test can stop and freeze. */
export interface AuthNetwork {
  readonly baseUrl: string;
  readonly issuer: string;
  readonly config: Config;
  readonly databaseUrl: string;
  readonly vaultDatabaseUrl: string;
  readonly witnessDatabaseUrl: string;
  readonly postgres: FreezableStore;
  readonly eventStore: FreezableStore;
  /** These belong to the running server and change with a restart. */
  app(): NestFastifyApplication;
  database(): Postgres;
  log(): EventLog;
  vault(): KeyVault;
  registerApplication(scopes?: readonly string[]): Promise<ClientCredentials>;
  createAccount(handle: string): Promise<string>;
  /** Replaces the running server, on the same stores and address. */
  restartServer(settings?: NodeJS.ProcessEnv): Promise<void>;
  /** Starts a second server of the same network on the same stores, at another port. */
  startAnotherServer(): Promise<AnotherServer>;
  /** Moves the clock of Plaza's code ahead, in every server. The OAuth library uses the machine's clock. */
  advanceClock(ms: number): void;
  stop(): Promise<void>;
}

export interface AnotherServer {
  readonly port: number;
  readonly app: NestFastifyApplication;
  close(): Promise<void>;
}

const logger = pino({ level: process.env['TEST_LOG_LEVEL'] ?? 'silent' });

/** `hasOwnPostgres`: for a spec that stops or freezes it. Otherwise it has databases on the server of the test worker. */
export async function startAuthNetwork({ hasOwnPostgres = false } = {}): Promise<AuthNetwork> {
  const dataDir = newDataDir();
  const logDir = join(dataDir, 'log');
  mkdirSync(logDir);
  const own = hasOwnPostgres ? await startOwnPostgres() : undefined;
  const postgres = own ?? (await startTestPostgres());
  const databases = {
    databaseUrl: await postgres.createReadStore(),
    vaultDatabaseUrl: await postgres.createDatabase(),
    witnessDatabaseUrl: await postgres.createDatabase(),
  };
  let eventStore = await startEmbeddedEventStore({ dir: logDir });
  const settings = {
    PORT: String(await freePort()),
    OPERATOR_PORT: String(await freePort()),
    DATA_DIR: dataDir,
  };
  const config = readConfig(settings);
  const { baseUrl } = config;
  let ahead = 0;
  const clock: Clock = { now: () => systemClock.now() + ahead };
  const start = (changes: NodeJS.ProcessEnv = {}) =>
    retryWhileUnavailable(() =>
      startAuthServer({
        config: readConfig({ ...settings, ...changes }),
        databases,
        eventStoreUrl: eventStore.url,
        clock,
        logger,
      }),
    );
  const stopStores = async () => {
    await Promise.all([postgres.stop(), eventStore.stop()]);
    removeDataDir(dataDir);
  };
  let server: AuthServer;
  try {
    server = await start();
    // The first call can exceed its timeout on a busy machine.
    await retryWhileUnavailable(() => server.log.read('nothing'));
  } catch (error) {
    // Without this the test process would never end.
    await stopStores();
    throw error;
  }
  const execute = <Result>(command: object): Promise<Result> =>
    server.app.get(CommandBus).execute(command as never);
  const metadata = () => ({ requestId: randomUUID(), operator: 'test', reason: 'a test' });
  const ownPostgres = (): OwnPostgres => {
    if (own === undefined) throw new Error('only with `hasOwnPostgres` can Postgres be stopped or frozen');
    return own;
  };
  const signalBackends = (signal: NodeJS.Signals) => {
    const children = execFileSync('pgrep', ['-P', String(ownPostgres().pid())], { encoding: 'utf8' });
    for (const pid of children.trim().split('\n')) process.kill(Number(pid), signal);
  };
  return {
    baseUrl,
    issuer: `${baseUrl}/api/auth`,
    config,
    ...databases,
    postgres: {
      stop: () => ownPostgres().halt(),
      start: () => ownPostgres().start(),
      freeze: () => signalBackends('SIGSTOP'),
      thaw: () => signalBackends('SIGCONT'),
    },
    eventStore: {
      stop: () => eventStore.kill('SIGKILL'),
      start: async () => {
        eventStore = await startEmbeddedEventStore({ dir: logDir, port: eventStore.port });
      },
      freeze: () => process.kill(eventStore.pid, 'SIGSTOP'),
      thaw: () => process.kill(eventStore.pid, 'SIGCONT'),
    },
    app: () => server.app,
    database: () => server.database,
    log: () => server.log,
    vault: () => server.vault,
    registerApplication: (scopes = everyScope) =>
      execute(new RegisterApplication({ name: 'Pebble', redirectUris: [redirectUri], scopes }, metadata())),
    createAccount: async (handle) => {
      const passwordHash = await server.app.get(Passwords).hash(password);
      const account = { handle, displayName: `The ${handle}`, email: `${handle}@example.org`, passwordHash };
      const created = await execute<{ actorId: string }>(
        new CreateAccount({ ...account, idempotencyKey: randomUUID() }, metadata()),
      );
      return created.actorId;
    },
    restartServer: async (changes) => {
      await server.close();
      server = await start(changes);
    },
    startAnotherServer: async () => {
      const port = await freePort();
      const another = await start({ PORT: String(port), BASE_URL: baseUrl });
      return { port, app: another.app, close: () => another.close() };
    },
    advanceClock: (ms) => {
      ahead += ms;
    },
    stop: async () => {
      await server.close();
      await stopStores();
    },
  };
}

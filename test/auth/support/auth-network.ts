import 'reflect-metadata';
import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { Global, Module } from '@nestjs/common';
import type { Provider } from '@nestjs/common';
import { CommandBus, CqrsModule } from '@nestjs/cqrs';
import { APP_FILTER, NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { pino } from 'pino';
import { PositionListener } from '../../../src/incarnations/position-listener.js';
import { AuthModule } from '../../../src/auth/auth.module.js';
import { mountAuthorizationServer } from '../../../src/auth/mount.js';
import { Passwords } from '../../../src/auth/passwords.js';
import { AuthSettings } from '../../../src/auth/settings.js';
import { VaultSigningKeys } from '../../../src/auth/signing-keys-vault.js';
import { Clock, systemClock } from '../../../src/commands/support/clock.js';
import { IdGenerator, systemIds } from '../../../src/commands/support/id-generator.js';
import { CreateAccount } from '../../../src/commands/account/create-account.js';
import { RegisterApplication } from '../../../src/commands/application/register-application.js';
import type { ClientCredentials } from '../../../src/commands/application/register-application.js';
import { ReadModels } from '../../../src/commands/account/read-models.js';
import { SigningKeys } from '../../../src/commands/network/signing-keys.js';
import { Config, readConfig } from '../../../src/config/config.js';
import { closeAll } from '../../../src/support/closable.js';
import type { Closable } from '../../../src/support/closable.js';
import { LOGGER } from '../../../src/config/logger.js';
import { RestrictionProof } from '../../../src/http/admission/restriction-proof.js';
import { ErrorFilter } from '../../../src/http/server/error.filter.js';
import { fastifyAdapter, prepareServer } from '../../../src/http/server/server.js';
import { startPostgres } from '../../../src/launch/embedded-postgres.js';
import type { EmbeddedPostgres } from '../../../src/launch/embedded-postgres.js';
import { freePort } from '../../../src/launch/free-port.js';
import { EventLog } from '../../../src/log/event-log.js';
import { openLog } from '../../../src/log/open-log.js';
import { KeyVault } from '../../../src/log/vault/key-vault.js';
import { NetworkSecrets } from '../../../src/log/vault/network-secrets.js';
import { ErasedDataCleanup } from '../../../src/erasure/erased-data-cleanup.js';
import { AuthorityStore } from '../../../src/store/authority/authority-store.js';
import { PUBLICATION_CHANNEL } from '../../../src/incarnations/incarnation.js';
import { WitnessedLog } from '../../../src/witness/witnessed-log.js';
import { readPublicationState } from '../../../src/incarnations/recovery-state.js';
import { RecoveryWatch } from '../../../src/recovery/detect/recovery-watch.js';
import { Witness } from '../../../src/witness/witness.js';
import { openReadStore } from '../../../src/store/database.js';
import { Postgres } from '../../../src/store/postgres.js';
import { removeDataDir } from '../../support/data-dir.js';
import { startEmbeddedEventStore } from '../../support/event-store.js';
import { dataDirWithCluster } from '../../support/postgres.js';
import { retryWhileUnavailable } from '../../support/retry-while-unavailable.js';
import { openReadyWitness } from '../../support/witness.js';

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

/** Statement timeout, as in production. */
const QUERY_MS = 5_000;

const logger = pino({ level: process.env['TEST_LOG_LEVEL'] ?? 'silent' });

interface Server {
  readonly app: NestFastifyApplication;
  readonly database: Postgres;
  readonly log: EventLog;
  readonly vault: KeyVault;
  close(): Promise<void>;
}

export async function startAuthNetwork(): Promise<AuthNetwork> {
  const dataDir = await dataDirWithCluster();
  const logDir = join(dataDir, 'log');
  mkdirSync(logDir);
  let [postgres, eventStore] = await Promise.all([
    startPostgres({ dataDir, log: logger }),
    startEmbeddedEventStore({ dir: logDir }),
  ]);
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
      startServer({
        config: readConfig({ ...settings, ...changes }),
        postgres,
        eventStoreUrl: eventStore.url,
        clock,
      }),
    );
  const stopStores = async () => {
    await Promise.all([postgres.stop(), eventStore.stop()]);
    removeDataDir(dataDir);
  };
  let server: Server;
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
  const signalBackends = (signal: NodeJS.Signals) => {
    const children = execFileSync('pgrep', ['-P', String(postgres.pid)], { encoding: 'utf8' });
    for (const pid of children.trim().split('\n')) process.kill(Number(pid), signal);
  };
  return {
    baseUrl,
    issuer: `${baseUrl}/api/auth`,
    config,
    databaseUrl: postgres.databaseUrl,
    vaultDatabaseUrl: postgres.vaultDatabaseUrl,
    witnessDatabaseUrl: postgres.witnessDatabaseUrl,
    postgres: {
      stop: () => postgres.stop(),
      start: async () => {
        postgres = await startPostgres({ dataDir, log: logger, port: postgres.port });
      },
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

interface ServerOptions {
  readonly config: Config;
  readonly postgres: EmbeddedPostgres;
  readonly eventStoreUrl: string;
  readonly clock: Clock;
}

async function startServer(on: ServerOptions): Promise<Server> {
  const parts: Closable[] = [];
  try {
    return { ...(await openServer(on, parts)), close: () => closeAll(parts) };
  } catch (error) {
    await closeAll(parts);
    throw error;
  }
}

/** Adds what it has opened to `parts`, also if it rejects. */
async function openServer(on: ServerOptions, parts: Closable[]): Promise<Omit<Server, 'close'>> {
  const applicationName = 'plaza-auth-test';
  const database = await openReadStore({
    url: on.postgres.databaseUrl,
    applicationName,
    maxConnections: 12,
    queryTimeoutMs: QUERY_MS,
  });
  parts.push(database);
  const { vaultDatabaseUrl } = on.postgres;
  const stores = { eventStoreUrl: on.eventStoreUrl, databaseUrl: on.postgres.databaseUrl, vaultDatabaseUrl };
  const opened = await openLog({ ...stores, applicationName });
  parts.push(opened);
  const witness = await openReadyWitness(on.postgres.witnessDatabaseUrl, applicationName);
  parts.push(witness);
  // There is no worker to notify it, so it is not started.
  const positions = new PositionListener({
    databaseUrl: on.postgres.databaseUrl,
    publicationChannel: PUBLICATION_CHANNEL,
    read: readPublicationState,
    logger,
  });
  // No social API here.
  const watch = {
    pool: database.pool,
    log: opened.log,
    witness,
    hadWitness: true,
    logger,
    monotonic: () => performance.now(),
  };
  const providers: Provider[] = [
    { provide: AuthorityStore, useValue: new AuthorityStore(database.dataSource) },
    { provide: AuthSettings, useValue: new AuthSettings(on.config.baseUrl) },
    { provide: EventLog, useValue: new WitnessedLog(opened.log, witness, () => on.clock.now()) },
    { provide: SigningKeys, useValue: new VaultSigningKeys(opened.secrets) },
    { provide: KeyVault, useValue: opened.vault },
    { provide: ReadModels, useValue: new ErasedDataCleanup(database.pool) },
    { provide: NetworkSecrets, useValue: opened.secrets },
    { provide: Config, useValue: Object.assign({}, on.config, stores) },
    { provide: LOGGER, useValue: logger },
    { provide: Postgres, useValue: database },
    { provide: PositionListener, useValue: positions },
    { provide: Witness, useValue: witness },
    { provide: RestrictionProof, useValue: new RecoveryWatch(watch) },
    { provide: Clock, useValue: on.clock },
    { provide: IdGenerator, useValue: systemIds },
  ];

  @Global()
  @Module({ providers, exports: providers })
  class ResourcesModule {}

  const filter = { provide: APP_FILTER, useClass: ErrorFilter };

  @Module({ imports: [CqrsModule.forRoot(), ResourcesModule, AuthModule], providers: [filter] })
  class TestModule {}

  const app = await NestFactory.create<NestFastifyApplication>(
    TestModule,
    fastifyAdapter(logger, on.config),
    {
      bodyParser: false,
      logger: false,
      abortOnError: false,
    },
  );
  parts.push(app);
  const refuseOtherMethods = prepareServer(app, on.config, []);
  // No read models, so no quarantine.
  mountAuthorizationServer(app, () => Promise.resolve(undefined));
  await app.init();
  await app.register(refuseOtherMethods);
  await app.listen(on.config.port, '127.0.0.1');
  return { app, database, log: opened.log, vault: opened.vault };
}

import 'reflect-metadata';
import { Global, Module } from '@nestjs/common';
import type { Provider } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { APP_FILTER, NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { Logger } from 'pino';
import { serving } from '../../../projections/groups.js';
import { versionsOf } from '../../../projections/runner/projection.js';
import { CheckpointStore } from '../../../projections/runner/checkpoint-store.js';
import { PositionListener } from '../../../src/base/store/position-listener.js';
import { AuthModule } from '../../../src/doors/auth/auth.module.js';
import { mountAuthorizationServer } from '../../../src/doors/auth/mount.js';
import { AuthSettings } from '../../../src/doors/auth/settings.js';
import { VaultSigningKeys } from '../../../src/doors/auth/signing-keys-vault.js';
import { BoundedClock } from '../../../src/base/support/bounded-clock.js';
import { Clock } from '../../../src/base/support/clock.js';
import { ReservedHandles } from '../../../src/domain/account/reserved-handles.js';
import { IdGenerator, systemIds } from '../../../src/base/support/id-generator.js';
import { ShownPosts } from '../../../src/commands/post/shown-posts.js';
import { ReadModels } from '../../../src/commands/account/read-models.js';
import { SigningKeys } from '../../../src/commands/network/signing-keys.js';
import { Config } from '../../../src/base/config/config.js';
import { closeAll } from '../../../src/base/support/closable.js';
import type { Closable } from '../../../src/base/support/closable.js';
import { LOGGER } from '../../../src/base/config/logger.js';
import { PublicPosts } from '../../../src/doors/api/admission/public-posts.js';
import { PublicProfiles } from '../../../src/doors/api/admission/public-profiles.js';
import { PublicationCache } from '../../../src/doors/api/admission/publication.js';
import { PublishedStatements } from '../../../src/doors/api/admission/published-statements.js';
import { RestrictionProof } from '../../../src/doors/api/admission/restriction-proof.js';
import { Health } from '../../../src/server/health/health.js';
import { LogCheck } from '../../../src/server/health/log-check.js';
import { readinessChecks } from '../../../src/doors/api/readiness-checks.js';
import { ErrorFilter } from '../../../src/server/error.filter.js';
import { Operations } from '../../../src/server/operations.js';
import { RefusalPages } from '../../../src/server/refusal-pages.js';
import { documentedProtocolEndpoints } from '../../../src/doors/api/openapi/protocol-endpoints.js';
import { fastifyAdapter, prepareServer } from '../../../src/doors/api/server.js';
import { EventLog } from '../../../src/log/event-log.js';
import { openLog } from '../../../src/log/open-log.js';
import { KeyVault } from '../../../src/log/vault/key-vault.js';
import { loadLogKeys, LogKeys } from '../../../src/log/vault/log-keys.js';
import { NetworkSecrets } from '../../../src/log/vault/network-secrets.js';
import { ErasedDataCleanup } from '../../../src/background/erasure/erased-data-cleanup.js';
import { AuthorityStore } from '../../../src/base/store/authority/authority-store.js';
import { PUBLICATION_CHANNEL } from '../../../projections/incarnations/incarnation.js';
import { WitnessedLog } from '../../../src/log/witness/witnessed-log.js';
import { readPublicationState } from '../../../projections/incarnations/recovery-state.js';
import { RecoveryWatch } from '../../../projections/incarnations/detect/recovery-watch.js';
import { Witness } from '../../../src/log/witness/witness.js';
import { openReadStore } from '../../../src/base/store/database.js';
import { Postgres } from '../../../src/base/store/postgres.js';
import { Telemetry } from '../../../src/base/telemetry/telemetry.js';
import { logOrigin } from '../../../src/log/transparency/origin.js';
import { openReadyWitness } from '../../support/witness.js';

/** Statement timeout, as in production. */
const QUERY_MS = 5_000;

/** The authorization server alone, in this process and on stores of the caller. */
export interface AuthServer {
  readonly app: NestFastifyApplication;
  readonly database: Postgres;
  readonly log: EventLog;
  readonly vault: KeyVault;
  close(): Promise<void>;
}

export interface Databases {
  readonly databaseUrl: string;
  readonly vaultDatabaseUrl: string;
  readonly witnessDatabaseUrl: string;
}

interface ServerOptions {
  readonly config: Config;
  readonly databases: Databases;
  readonly eventStoreUrl: string;
  readonly clock: Clock;
  readonly logger: Logger;
}

export async function startAuthServer(on: ServerOptions): Promise<AuthServer> {
  const parts: Closable[] = [];
  try {
    return { ...(await openServer(on, parts)), close: () => closeAll(parts) };
  } catch (error) {
    await closeAll(parts);
    throw error;
  }
}

/** Adds what it has opened to `parts`, also if it rejects. */
async function openServer(on: ServerOptions, parts: Closable[]): Promise<Omit<AuthServer, 'close'>> {
  const { logger } = on;
  const applicationName = 'plaza-auth-test';
  const database = await openReadStore({
    url: on.databases.databaseUrl,
    applicationName,
    maxConnections: 12,
    queryTimeoutMs: QUERY_MS,
  });
  parts.push(database);
  const { vaultDatabaseUrl } = on.databases;
  const stores = { eventStoreUrl: on.eventStoreUrl, databaseUrl: on.databases.databaseUrl, vaultDatabaseUrl };
  const opened = await openLog({ ...stores, applicationName });
  parts.push(opened);
  const witness = await openReadyWitness(on.databases.witnessDatabaseUrl, applicationName);
  parts.push(witness);
  // There is no worker to notify it, so it is not started.
  const positions = new PositionListener({
    databaseUrl: on.databases.databaseUrl,
    publicationChannel: PUBLICATION_CHANNEL,
    read: readPublicationState,
    readGroup: (name) => CheckpointStore.ofGroup(name).position(database.pool),
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
  const proof = new RecoveryWatch(watch);
  const logCheck = new LogCheck(opened.log, () => performance.now());
  const clock = new BoundedClock('API process', on.clock);
  const publications = new PublicationCache(database.pool, versionsOf(serving));
  const statements = new PublishedStatements(database.pool, publications);
  const publicPosts = new PublicPosts(statements, on.clock, proof);
  const providers: Provider[] = [
    { provide: AuthorityStore, useValue: new AuthorityStore(database.dataSource) },
    { provide: AuthSettings, useValue: new AuthSettings(on.config.baseUrl, on.config.operatorContact) },
    { provide: EventLog, useValue: new WitnessedLog(opened.log, witness, () => on.clock.now()) },
    { provide: SigningKeys, useValue: new VaultSigningKeys(opened.secrets) },
    { provide: KeyVault, useValue: opened.vault },
    { provide: ShownPosts, useValue: { find: () => Promise.resolve(undefined) } },
    { provide: ReadModels, useValue: new ErasedDataCleanup(database.pool) },
    { provide: NetworkSecrets, useValue: opened.secrets },
    { provide: LogKeys, useValue: await loadLogKeys(opened.secrets, logOrigin(on.config.baseUrl)) },
    { provide: Config, useValue: Object.assign({}, on.config, stores) },
    { provide: LOGGER, useValue: logger },
    { provide: Telemetry, useValue: new Telemetry() },
    { provide: Postgres, useValue: database },
    { provide: PositionListener, useValue: positions },
    { provide: Witness, useValue: witness },
    { provide: RestrictionProof, useValue: proof },
    { provide: PublishedStatements, useValue: statements },
    { provide: PublicPosts, useValue: publicPosts },
    { provide: PublicProfiles, useValue: new PublicProfiles({ statements, clock: on.clock, proof }) },
    {
      provide: Health,
      useValue: new Health(
        readinessChecks({ pool: database.pool, log: logCheck, proof, clock, config: on.config }),
        logger,
      ),
    },
    { provide: Clock, useValue: on.clock },
    { provide: IdGenerator, useValue: systemIds },
    { provide: ReservedHandles, useValue: new ReservedHandles(on.config.reservedHandles) },
  ];

  @Global()
  @Module({ providers, exports: providers })
  class ResourcesModule {}

  const pages = new RefusalPages(new Operations(documentedProtocolEndpoints), on.config.operatorContact);
  const filter = { provide: APP_FILTER, useValue: new ErrorFilter(pages) };

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

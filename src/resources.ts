import { Global, Module } from '@nestjs/common';
import type { DynamicModule, Provider } from '@nestjs/common';
import type { Logger } from 'pino';
import { PositionListener } from './incarnations/position-listener.js';
import { AuthSettings } from './auth/settings.js';
import { VaultSigningKeys } from './auth/signing-keys-vault.js';
import { Clock, systemClock } from './commands/support/clock.js';
import { IdGenerator, systemIds } from './commands/support/id-generator.js';
import { ReadModels } from './commands/account/read-models.js';
import { SigningKeys } from './commands/network/signing-keys.js';
import { Config, storesOf } from './config/config.js';
import { LOGGER } from './config/logger.js';
import { RestrictionProof } from './http/admission/restriction-proof.js';
import { EventLog } from './log/event-log.js';
import { openLog } from './log/open-log.js';
import { refusalOfShared } from './log/eventstoredb/usable.js';
import { KeyVault } from './log/vault/key-vault.js';
import { NetworkSecrets } from './log/vault/network-secrets.js';
import { EnforcingLog } from './witness/enforcing-log.js';
import { ErasedDataCleanup } from './erasure/erased-data-cleanup.js';
import { PUBLICATION_CHANNEL } from './incarnations/incarnation.js';
import { OutstandingRestrictions } from './witness/outstanding-restrictions.js';
import { waitForAuthorityRebuild } from './incarnations/authority-rebuild.js';
import { readPublicationState, shownRestrictions } from './incarnations/recovery-state.js';
import { RecoveryWatch } from './recovery/detect/recovery-watch.js';
import { observeAppends } from './telemetry/appends.js';
import { observePool } from './telemetry/statements.js';
import { Telemetry } from './telemetry/telemetry.js';
import { observeWitness } from './telemetry/witness-steps.js';
import { openWitness } from './witness/open-witness.js';
import { InDoubtResolver } from './witness/in-doubt-resolver.js';
import { Witness } from './witness/witness.js';
import { AuthorityStore } from './store/authority/authority-store.js';
import { openDatabase } from './store/database.js';
import { Postgres } from './store/postgres.js';

const DATABASE_CONNECTIONS = 16;
const QUERY_MS = 5_000;

export interface Resources {
  readonly module: DynamicModule;
  close(): Promise<void>;
}

@Global()
@Module({})
class ResourcesModule {}

/** Opens the resources of the API process and provides them to every module. Rejects if a store is unreachable. */
export async function openResources(
  config: Config,
  logger: Logger,
  telemetry: Telemetry,
): Promise<Resources> {
  const urls = storesOf(config);
  const applicationName = 'plaza-api';
  const [database, opened] = await Promise.all([
    openDatabase({
      url: urls.databaseUrl,
      applicationName,
      maxConnections: DATABASE_CONNECTIONS,
      queryTimeoutMs: QUERY_MS,
    }),
    openLog({ ...urls, applicationName, logger, refuseShared: refusalOfShared(config, logger) }),
  ]);
  observePool(database.pool, 'read', telemetry);
  observePool(opened.vaultPool, 'vault', telemetry);
  observeAppends(opened.log, telemetry);
  await waitForAuthorityRebuild(database.pool, logger);
  const positions = new PositionListener({
    databaseUrl: urls.databaseUrl,
    publicationChannel: PUBLICATION_CHANNEL,
    read: readPublicationState,
    logger,
  });
  positions.start();
  const witness = openWitness({ url: urls.witnessDatabaseUrl, applicationName });
  if (urls.witnessDatabaseUrl !== undefined) observeWitness(witness, telemetry);
  const now = () => systemClock.now();
  const { pool } = database;
  const shown = (ids: readonly string[]) => shownRestrictions(pool, ids);
  const resolver = new InDoubtResolver({ log: opened.log, witness, shown, now, logger });
  if (urls.witnessDatabaseUrl !== undefined) resolver.start();
  const hadWitness = await knowsWitness(opened.secrets, urls.witnessDatabaseUrl !== undefined);
  const monotonic = () => performance.now();
  const watch = new RecoveryWatch({ pool, log: opened.log, witness, hadWitness, logger, monotonic });
  await watch.start();
  const outstanding = new OutstandingRestrictions(pool, positions);
  const providers: Provider[] = [
    { provide: Config, useValue: config },
    { provide: LOGGER, useValue: logger },
    { provide: Telemetry, useValue: telemetry },
    { provide: Postgres, useValue: database },
    { provide: AuthorityStore, useValue: new AuthorityStore(database.dataSource) },
    { provide: AuthSettings, useValue: new AuthSettings(config.baseUrl) },
    // The only log of the API process: every restriction passes the witness.
    { provide: EventLog, useValue: new EnforcingLog(opened.log, witness, now, outstanding) },
    { provide: Witness, useValue: witness },
    { provide: ReadModels, useValue: new ErasedDataCleanup(database.pool) },
    { provide: SigningKeys, useValue: new VaultSigningKeys(opened.secrets) },
    { provide: KeyVault, useValue: opened.vault },
    { provide: NetworkSecrets, useValue: opened.secrets },
    { provide: PositionListener, useValue: positions },
    { provide: RestrictionProof, useValue: watch satisfies RestrictionProof },
    { provide: Clock, useValue: systemClock },
    { provide: IdGenerator, useValue: systemIds },
  ];
  return {
    module: { module: ResourcesModule, providers, exports: providers },
    async close() {
      await resolver.stop();
      await positions.stop();
      await watch.stop();
      await opened.close();
      await witness.close();
      await database.close();
    },
  };
}

/** True if the network ever had a witness. The secret keeps this fact after the first process with one. */
async function knowsWitness(secrets: NetworkSecrets, isConfigured: boolean): Promise<boolean> {
  if (isConfigured) await secrets.get('has-witness', () => Buffer.of(1));
  return isConfigured || (await secrets.find('has-witness')) !== undefined;
}

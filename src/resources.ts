import { Global, Module } from '@nestjs/common';
import type { DynamicModule, Provider } from '@nestjs/common';
import type { Logger } from 'pino';
import { PositionListener } from './incarnations/position-listener.js';
import { AuthSettings } from './auth/settings.js';
import { Clock, IdGenerator } from './commands/support/ambient.js';
import { ReadModels } from './commands/account/read-models.js';
import { systemClock, systemIds } from './commands/support/system.js';
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
import { openWitness } from './witness/open-witness.js';
import { InDoubtResolver } from './witness/in-doubt-resolver.js';
import { Witness } from './witness/witness.js';
import { AuthorityStore } from './store/authority/authority-store.js';
import { openDatabase } from './store/database.js';
import { Postgres } from './store/postgres.js';

/** A read holds one for as long as its one statement takes. */
const DATABASE_CONNECTIONS = 16;
/** Far above what any statement of a request takes. */
const QUERY_MS = 5_000;

/** What the API process opens once and closes once, and hands to every module. */
export interface Resources {
  readonly module: DynamicModule;
  close(): Promise<void>;
}

@Global()
@Module({})
class ResourcesModule {}

/** Rejects if a store cannot be reached. */
export async function openResources(config: Config, logger: Logger): Promise<Resources> {
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
  await waitForAuthorityRebuild(database.pool, logger);
  const positions = new PositionListener({
    databaseUrl: urls.databaseUrl,
    publicationChannel: PUBLICATION_CHANNEL,
    read: readPublicationState,
    logger,
  });
  positions.start();
  const witness = openWitness({ url: urls.witnessDatabaseUrl, applicationName });
  const now = () => systemClock.now();
  const { pool } = database;
  const shown = (ids: readonly string[]) => shownRestrictions(pool, ids);
  const settler = new InDoubtResolver({ log: opened.log, witness, shown, now, logger });
  if (urls.witnessDatabaseUrl !== undefined) settler.start();
  const hadWitness = await knowsWitness(opened.secrets, urls.witnessDatabaseUrl !== undefined);
  const monotonic = () => performance.now();
  const watch = new RecoveryWatch({ pool, log: opened.log, witness, hadWitness, logger, monotonic });
  await watch.start();
  const outstanding = new OutstandingRestrictions(pool, positions);
  const providers: Provider[] = [
    { provide: Config, useValue: config },
    { provide: LOGGER, useValue: logger },
    { provide: Postgres, useValue: database },
    { provide: AuthorityStore, useValue: new AuthorityStore(database.dataSource) },
    { provide: AuthSettings, useValue: new AuthSettings(config.baseUrl) },
    // The only one that there is here: nothing restricts past the witness.
    { provide: EventLog, useValue: new EnforcingLog(opened.log, witness, now, outstanding) },
    { provide: Witness, useValue: witness },
    { provide: ReadModels, useValue: new ErasedDataCleanup(database.pool) },
    { provide: KeyVault, useValue: opened.vault },
    { provide: NetworkSecrets, useValue: opened.secrets },
    { provide: PositionListener, useValue: positions },
    { provide: RestrictionProof, useValue: watch },
    { provide: Clock, useValue: systemClock },
    { provide: IdGenerator, useValue: systemIds },
  ];
  return {
    module: { module: ResourcesModule, providers, exports: providers },
    async close() {
      await settler.stop();
      await positions.stop();
      await watch.stop();
      await opened.close();
      await witness.close();
      await database.close();
    },
  };
}

/** Whether the network ever had a witness. From the first process on that was told of one it is known for good. */
async function knowsWitness(secrets: NetworkSecrets, isTold: boolean): Promise<boolean> {
  if (isTold) await secrets.get('has-witness', () => Buffer.of(1));
  return isTold || (await secrets.find('has-witness')) !== undefined;
}

import { Global, Module } from '@nestjs/common';
import type { DynamicModule, Provider } from '@nestjs/common';
import type { Logger } from 'pino';
import { PositionListener } from '../../base/store/position-listener.js';
import { AuthSettings } from '../../doors/auth/settings.js';
import { VaultSigningKeys } from '../../doors/auth/signing-keys-vault.js';
import { BoundedClock } from '../../base/support/bounded-clock.js';
import { Clock } from '../../base/support/clock.js';
import { IdGenerator, systemIds } from '../../base/support/id-generator.js';
import { ReadModels } from '../../commands/account/read-models.js';
import { ShownPosts } from '../../commands/post/shown-posts.js';
import { SigningKeys } from '../../commands/network/signing-keys.js';
import { ReservedHandles } from '../../domain/account/reserved-handles.js';
import { Config, storesOf } from '../../base/config/config.js';
import { LOGGER } from '../../base/config/logger.js';
import { MutationAdmission } from '../../doors/api/admission/mutation-admission.js';
import { PublicationCache } from '../../doors/api/admission/publication.js';
import { PublishedPosts } from '../../doors/api/admission/published-posts.js';
import { PublishedStatements } from '../../doors/api/admission/published-statements.js';
import { RestrictionProof } from '../../doors/api/admission/restriction-proof.js';
import { EventLog } from '../../log/event-log.js';
import { openLog } from '../../log/open-log.js';
import { exitOnSharedLog } from '../../log/eventstoredb/usable.js';
import { KeyVault } from '../../log/vault/key-vault.js';
import { loadLogKeys, LogKeys } from '../../log/vault/log-keys.js';
import { NetworkSecrets } from '../../log/vault/network-secrets.js';
import { EnforcingLog } from '../../log/witness/enforcing-log.js';
import { ErasedDataCleanup } from '../../background/erasure/erased-data-cleanup.js';
import { PUBLICATION_CHANNEL } from '../../../projections/incarnations/incarnation.js';
import { OutstandingRestrictions } from '../../log/witness/outstanding-restrictions.js';
import { CheckpointStore } from '../../../projections/runner/checkpoint-store.js';
import { waitForAuthorityRebuild } from '../../../projections/incarnations/authority-rebuild.js';
import { readPublicationState, shownRestrictions } from '../../../projections/incarnations/recovery-state.js';
import { serving } from '../../../projections/groups.js';
import { versionsOf } from '../../../projections/runner/projection.js';
import { RecoveryWatch } from '../../../projections/incarnations/detect/recovery-watch.js';
import { observeAppends } from '../telemetry/appends.js';
import { observeProofs } from '../telemetry/proofs.js';
import { observePool } from '../telemetry/statements.js';
import { Telemetry } from '../../base/telemetry/telemetry.js';
import { observeWitness } from '../telemetry/witness-steps.js';
import { openWitness } from '../../log/witness/open-witness.js';
import { InDoubtResolver } from '../../background/in-doubt-resolver.js';
import { Witness } from '../../log/witness/witness.js';
import { AuthorityStore } from '../../base/store/authority/authority-store.js';
import { openReadStore } from '../../base/store/database.js';
import { databaseNow } from '../../base/store/database-clock.js';
import { openPlannedOnce, Postgres } from '../../base/store/postgres.js';
import type { Closable } from '../../base/support/closable.js';
import { logOrigin } from '../../log/transparency/origin.js';

const CONNECTIONS = { reads: 8, others: 16 };
const QUERY_MS = 5_000;

@Global()
@Module({})
class ResourcesModule {}

export interface ResourcesOptions {
  readonly config: Config;
  readonly logger: Logger;
  readonly telemetry: Telemetry;
  /** Gets each part as soon as it is open. */
  readonly opened: Closable[];
}

/**
 * Opens the stores of the API process and what depends on them, and returns the module that provides them to every
 * other one. Each is added to `opened` once it is open, so that the caller can close it, even if this rejects because a
 * store is unreachable.
 */
export async function openResources({
  config,
  logger,
  telemetry,
  opened,
}: ResourcesOptions): Promise<DynamicModule> {
  const urls = storesOf(config);
  const applicationName = 'plaza-api';
  const database = await openReadStore({
    url: urls.databaseUrl,
    applicationName,
    maxConnections: CONNECTIONS.others,
    queryTimeoutMs: QUERY_MS,
  });
  opened.push(database);
  const reads = openPlannedOnce({
    url: urls.databaseUrl,
    applicationName,
    maxConnections: CONNECTIONS.reads,
    queryTimeoutMs: QUERY_MS,
  });
  opened.push({ close: () => reads.end() });
  const refuseShared = exitOnSharedLog(config, logger);
  const openedLog = await openLog({ ...urls, applicationName, logger, refuseShared });
  opened.push(openedLog);
  const { log, vault, secrets } = openedLog;
  for (const pool of [database.pool, reads]) observePool(pool, 'read', telemetry);
  observePool(openedLog.vaultPool, 'vault', telemetry);
  observeAppends(log, telemetry);
  observeProofs(log, telemetry);
  await waitForAuthorityRebuild(database.pool, logger);
  const positions = new PositionListener({
    databaseUrl: urls.databaseUrl,
    publicationChannel: PUBLICATION_CHANNEL,
    read: readPublicationState,
    readGroup: (name) => CheckpointStore.ofGroup(name).position(database.pool),
    logger,
  });
  positions.start();
  opened.push({ close: () => positions.stop() });
  const witness = openWitness({ url: urls.witnessDatabaseUrl, applicationName });
  opened.push(witness);
  if (urls.witnessDatabaseUrl !== undefined) observeWitness(witness, telemetry);
  const clock = new BoundedClock('API process');
  clock.observe(await databaseNow(database.pool));
  const now = () => clock.now();
  const { pool } = database;
  const shown = (ids: readonly string[]) => shownRestrictions(pool, ids);
  if (urls.witnessDatabaseUrl !== undefined) {
    const lockUrl = urls.witnessDatabaseUrl;
    const resolver = new InDoubtResolver({ log, witness, shown, now, lockUrl, logger });
    resolver.start();
    opened.push({ close: () => resolver.stop() });
  }
  const hadWitness = await knowsWitness(secrets, urls.witnessDatabaseUrl !== undefined);
  const monotonic = () => performance.now();
  const watch = new RecoveryWatch({ pool, log, witness, hadWitness, logger, monotonic });
  opened.push({ close: () => watch.stop() });
  await watch.start();
  const outstanding = new OutstandingRestrictions(pool, positions);
  const statements = new PublishedStatements(reads, new PublicationCache(pool, versionsOf(serving)));
  const providers: Provider[] = [
    { provide: Config, useValue: config },
    { provide: ReservedHandles, useValue: new ReservedHandles(config.reservedHandles) },
    { provide: LOGGER, useValue: logger },
    { provide: Telemetry, useValue: telemetry },
    { provide: Postgres, useValue: database },
    { provide: PublishedStatements, useValue: statements },
    { provide: MutationAdmission, useValue: new MutationAdmission(reads, clock, watch) },
    { provide: ShownPosts, useValue: new PublishedPosts(statements) },
    { provide: AuthorityStore, useValue: new AuthorityStore(database.dataSource) },
    { provide: AuthSettings, useValue: new AuthSettings(config.baseUrl, config.operatorContact) },
    // The only log of the API process: every restriction passes the witness.
    { provide: EventLog, useValue: new EnforcingLog(log, witness, now, outstanding) },
    { provide: Witness, useValue: witness },
    { provide: ReadModels, useValue: new ErasedDataCleanup(database.pool) },
    { provide: SigningKeys, useValue: new VaultSigningKeys(secrets) },
    { provide: KeyVault, useValue: vault },
    { provide: NetworkSecrets, useValue: secrets },
    { provide: LogKeys, useValue: await loadLogKeys(secrets, logOrigin(config.baseUrl)) },
    { provide: PositionListener, useValue: positions },
    { provide: RestrictionProof, useValue: watch satisfies RestrictionProof },
    { provide: BoundedClock, useValue: clock },
    { provide: Clock, useExisting: BoundedClock },
    { provide: IdGenerator, useValue: systemIds },
  ];
  return { module: ResourcesModule, providers, exports: providers };
}

/**
 * True if the network ever had a witness. The first process with one stores a secret in the vault as the sign of it.
 */
async function knowsWitness(secrets: NetworkSecrets, isConfigured: boolean): Promise<boolean> {
  if (isConfigured) await secrets.get('has-witness', () => Buffer.of(1));
  return isConfigured || (await secrets.find('has-witness')) !== undefined;
}

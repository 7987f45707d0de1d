import { randomBytes, randomUUID } from 'node:crypto';
import type { Pool } from 'pg';
import type { Logger } from 'pino';
import { openPostgres } from '../base/store/postgres.js';
import type { Postgres, PostgresOptions } from '../base/store/postgres.js';
import { Vault1763640000000 } from '../base/store/migrations/1763640000000-vault.js';
import { DropVaultStatistics1763901000001 } from '../base/store/migrations/1763901000001-vault-statistics.js';
import { endsWithin } from '../base/support/sleep.js';
import { Codec } from './codec.js';
import type { EventLog, UndecodedLog } from './event-log.js';
import { EventStoreLog } from './eventstoredb/event-store-log.js';
import { LogShared, warnIfUnusable } from './eventstoredb/usable.js';
import { DestroyedKeys } from './vault/destroyed-keys.js';
import { KeyVault } from './vault/key-vault.js';
import { NetworkSecrets } from './vault/network-secrets.js';

export interface OpenLog {
  readonly log: EventLog;
  readonly vault: KeyVault;
  readonly secrets: NetworkSecrets;
  readonly vaultPool: Pool;
  close(): Promise<void>;
}

const FIRST_CHECK_MS = 1_000;

export function openVaultDatabase(
  options: Omit<PostgresOptions, 'entities' | 'migrations'>,
): Promise<Postgres> {
  return openPostgres({ ...options, migrations: [Vault1763640000000, DropVaultStatistics1763901000001] });
}

export interface LogOptions {
  readonly eventStoreUrl: string;
  readonly vaultDatabaseUrl: string;
  readonly applicationName: string;
  readonly logger?: Pick<Logger, 'warn' | 'error'>;
  /**
   * Called at any time after the start if the event store has streams of other applications. Undefined: such an event
   * store is allowed.
   */
  readonly refuseShared?: ((error: LogShared) => void) | undefined;
}

export async function openLog(options: LogOptions): Promise<OpenLog> {
  const vaultDatabase = await openVaultDatabase({
    url: options.vaultDatabaseUrl,
    applicationName: options.applicationName,
    maxConnections: 4,
    queryTimeoutMs: 5_000,
  });
  const vault = new KeyVault(vaultDatabase.pool, () => ({ id: randomUUID(), key: randomBytes(32) }));
  const destroyedKeys = new DestroyedKeys(
    { url: options.vaultDatabaseUrl, applicationName: options.applicationName },
    vault,
  );
  await destroyedKeys.start();
  const log = new EventStoreLog(options.eventStoreUrl, new Codec(vault, randomBytes), options.logger);
  const closing = new AbortController();
  const checking = options.logger && check(log, options.logger, options.refuseShared, closing.signal);
  // If the log answers, the check completes before the first write or request.
  if (checking) await endsWithin(FIRST_CHECK_MS, checking);
  return {
    log,
    vault,
    secrets: new NetworkSecrets(vaultDatabase.pool),
    vaultPool: vaultDatabase.pool,
    async close() {
      closing.abort();
      await checking;
      await log.close();
      await destroyedKeys.stop();
      await vaultDatabase.close();
    },
  };
}

export function openUndecodedLog(eventStoreUrl: string, logger?: Pick<Logger, 'warn'>): UndecodedLog {
  const withoutVault = () => Promise.reject(new Error('this log was opened without the vault'));
  return new EventStoreLog(eventStoreUrl, { encode: withoutVault, decode: withoutVault }, logger);
}

async function check(
  log: EventStoreLog,
  logger: Pick<Logger, 'error'>,
  refuseShared: LogOptions['refuseShared'],
  signal: AbortSignal,
): Promise<void> {
  try {
    await warnIfUnusable(log, { logger, isShared: refuseShared === undefined }, signal);
  } catch (error) {
    if (!(error instanceof LogShared)) throw error;
    refuseShared?.(error);
  }
}

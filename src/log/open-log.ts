import { randomBytes, randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from 'pino';
import { openPostgres } from '../store/postgres.js';
import type { Postgres, PostgresOptions } from '../store/postgres.js';
import { Vault1763640000000 } from '../store/migrations/1763640000000-vault.js';
import { Codec } from './codec.js';
import type { EventLog } from './event-log.js';
import { EventStoreLog } from './eventstoredb/event-store-log.js';
import { LogShared, sayIfUnusable } from './eventstoredb/usable.js';
import { DestroyedKeys } from './vault/destroyed-keys.js';
import { KeyVault } from './vault/key-vault.js';
import { NetworkSecrets } from './vault/network-secrets.js';

/** The log with everything it needs to be written and read. `close` once, at the end of the process. */
export interface OpenLog {
  readonly log: EventLog;
  readonly vault: KeyVault;
  readonly secrets: NetworkSecrets;
  close(): Promise<void>;
}

/** What a start waits for a log that may be away. */
const FIRST_CHECK_MS = 1_000;

/** Opens the database of the keys, and brings it up to date. */
export function openVaultDatabase(
  options: Omit<PostgresOptions, 'entities' | 'migrations'>,
): Promise<Postgres> {
  return openPostgres({ ...options, migrations: [Vault1763640000000] });
}

export interface LogOptions {
  readonly eventStoreUrl: string;
  readonly vaultDatabaseUrl: string;
  readonly applicationName: string;
  /** Told of subscriptions that keep failing, and of a log that cannot be used as it is set up. */
  readonly logger?: Pick<Logger, 'warn' | 'error'>;
  /** Where given, a log with streams of other applications is refused: this is called, at any time after the start. */
  readonly refuseShared?: ((error: LogShared) => void) | undefined;
}

/** Opens the vault's database (and brings it up to date), then the log. Rejects if the vault cannot be reached. */
export async function openLog(options: LogOptions): Promise<OpenLog> {
  const vaultDatabase = await openVaultDatabase({
    url: options.vaultDatabaseUrl,
    applicationName: options.applicationName,
    maxConnections: 4,
    queryTimeoutMs: 5_000,
  });
  const vault = new KeyVault(vaultDatabase.pool, () => ({ id: randomUUID(), key: randomBytes(32) }));
  const news = new DestroyedKeys(
    { url: options.vaultDatabaseUrl, applicationName: options.applicationName },
    vault,
  );
  await news.start();
  const log = new EventStoreLog(options.eventStoreUrl, new Codec(vault, randomBytes), options.logger);
  const closing = new AbortController();
  const said = options.logger && check(log, options.logger, options.refuseShared, closing.signal);
  // So that in a log that answers nothing is written, nor anything served, before it was looked at.
  await Promise.race([said, pause(FIRST_CHECK_MS, undefined, { ref: false })]);
  return {
    log,
    vault,
    secrets: new NetworkSecrets(vaultDatabase.pool),
    async close() {
      closing.abort();
      await said;
      await log.close();
      await news.stop();
      await vaultDatabase.close();
    },
  };
}

async function check(
  log: EventStoreLog,
  logger: Pick<Logger, 'error'>,
  refuseShared: LogOptions['refuseShared'],
  signal: AbortSignal,
): Promise<void> {
  try {
    await sayIfUnusable(log, { logger, isShared: refuseShared === undefined }, signal);
  } catch (error) {
    if (!(error instanceof LogShared)) throw error;
    refuseShared?.(error);
  }
}

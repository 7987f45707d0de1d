import type { ClientBase } from 'pg';
import { createLogger } from '../../../base/config/logger.js';
import type { Config } from '../../../base/config/config.js';
import { withSettings } from '../../../base/config/settings.js';
import { startPostgres } from '../../../launch/embedded-postgres.js';
import { openVaultDatabase } from '../../../log/open-log.js';
import { openWitness } from '../../../log/witness/open-witness.js';
import { openReadStore } from '../../../base/store/database.js';
import { StoreClient } from '../../../base/store/store-client.js';
import { Failure } from '../../../base/terminal/failure.js';

const APPLICATION_NAME = 'plaza-restore';

export interface StoppedNetworkDatabases {
  connect(): Promise<DatabaseClients>;
  /** Finds the first line of the witness ledger that was altered, and returns its number; undefined: none was. */
  firstBroken(): Promise<bigint | undefined>;
  close(): Promise<void>;
}

export interface DatabaseClients {
  readonly database: ClientBase;
  readonly vault: ClientBase;
  readonly witness: ClientBase;
  end(): Promise<void>;
}

export type DatabaseVariable = 'DATABASE_URL' | 'VAULT_DATABASE_URL' | 'WITNESS_DATABASE_URL';

/**
 * Opens the three databases of a stopped network. Starts the embedded Postgres if it holds one of them; the caller
 * must hold the lock of `dataDir`.
 * @throws {Failure} a process of the network is still connected to one of them. {@link LaunchError}
 */
export async function openStoppedDatabases(settings: Config): Promise<StoppedNetworkDatabases> {
  const { dataDir, databaseUrl, vaultDatabaseUrl, witnessDatabaseUrl } = settings;
  const isAllNamed = [databaseUrl, vaultDatabaseUrl, witnessDatabaseUrl].every((url) => url !== undefined);
  const log = createLogger({ logLevel: 'warn' }, 'restore');
  const embedded = isAllNamed ? undefined : await startPostgres({ dataDir, log });
  const config = withSettings(settings, {
    databaseUrl: databaseUrl ?? embedded?.databaseUrl,
    vaultDatabaseUrl: vaultDatabaseUrl ?? embedded?.vaultDatabaseUrl,
    witnessDatabaseUrl: witnessDatabaseUrl ?? embedded?.witnessDatabaseUrl,
  });
  const urls = {
    DATABASE_URL: config.databaseUrl ?? '',
    VAULT_DATABASE_URL: config.vaultDatabaseUrl ?? '',
    WITNESS_DATABASE_URL: config.witnessDatabaseUrl ?? '',
  };
  const witness = openWitness({ url: urls.WITNESS_DATABASE_URL, applicationName: APPLICATION_NAME });
  const stores: StoppedNetworkDatabases = {
    connect: () => connectAll(urls),
    firstBroken: () => witness.firstBroken(),
    async close() {
      await witness.close();
      await embedded?.stop();
    },
  };
  try {
    await refuseRunningNetwork(stores);
    await migrateTables(urls);
    await witness.find([]);
  } catch (error) {
    await stores.close();
    throw error;
  }
  return stores;
}

async function migrateTables(urls: Readonly<Record<DatabaseVariable, string>>): Promise<void> {
  const common = { applicationName: APPLICATION_NAME, maxConnections: 1 };
  const [database, vault] = [
    await openReadStore({ ...common, url: urls.DATABASE_URL }),
    await openVaultDatabase({ ...common, url: urls.VAULT_DATABASE_URL }),
  ];
  await database.close();
  await vault.close();
}

async function connectAll(urls: Readonly<Record<DatabaseVariable, string>>): Promise<DatabaseClients> {
  const to = (connectionString: string) =>
    new StoreClient({ connectionString, application_name: APPLICATION_NAME });
  const database = to(urls.DATABASE_URL);
  const vault = to(urls.VAULT_DATABASE_URL);
  const witness = to(urls.WITNESS_DATABASE_URL);
  const all = [database, vault, witness];
  for (const client of all) await client.connect();
  return {
    database,
    vault,
    witness,
    end: async () => {
      for (const client of all) await client.end();
    },
  };
}

/**
 * Throws if a process of the network is still connected. Processes on other machines do not hold the lock on
 * `DATA_DIR`, but their connections show them.
 */
async function refuseRunningNetwork(stores: StoppedNetworkDatabases): Promise<void> {
  const clients = await stores.connect();
  try {
    await refuseConnectedTo(clients.database, 'DATABASE_URL');
    await refuseConnectedTo(clients.vault, 'VAULT_DATABASE_URL');
    await refuseConnectedTo(clients.witness, 'WITNESS_DATABASE_URL');
  } finally {
    await clients.end();
  }
}

async function refuseConnectedTo(client: ClientBase, variable: DatabaseVariable): Promise<void> {
  const { rows } = await client.query<{ name: string; address: string | null }>(
    `SELECT application_name AS name, host(client_addr) AS address FROM pg_stat_activity
    WHERE datname = current_database() AND application_name LIKE 'plaza-%' AND application_name <> $1 LIMIT 1`,
    [APPLICATION_NAME],
  );
  const [other] = rows;
  if (!other) return;
  throw new Failure(
    `${variable}: a process of the network is still connected (${other.name} from ${other.address ?? 'this machine'}); stop every process of the network first`,
  );
}

import { join } from 'node:path';
import type { Logger } from 'pino';
import { StoreClient } from '../base/store/store-client.js';
import { sleep } from '../base/support/sleep.js';
import { freePort } from './free-port.js';
import { findBinaries } from './postgres/binaries.js';
import { EMBEDDED_DATABASES, ensureCluster } from './postgres/cluster.js';
import type { Cluster } from './postgres/cluster.js';
import { postgresHome } from './postgres/home.js';
import { stopOrphanedPostgres } from './postgres/orphaned-postgres.js';
import { PostgresStartError, startServer } from './postgres/server.js';
import type { RunningProcess } from './running-process.js';
import { storeSecret, newSecret, readSecret } from './secret-file.js';

const OLD_WORKERS_TIMEOUT_MS = 15_000;

export interface EmbeddedPostgres extends RunningProcess {
  readonly port: number;
  readonly databaseUrl: string;
  readonly vaultDatabaseUrl: string;
  readonly witnessDatabaseUrl: string;
}

export interface EmbeddedPostgresOptions {
  /**
   * Data directory of the network. It must exist, and the caller must hold its lock (see data-dir.ts): so a Postgres
   * that runs in it is an orphan, and is stopped.
   */
  readonly dataDir: string;
  readonly log: Logger;
  /**
   * Port to listen on; undefined: any free port. A restart keeps its port, because other processes have it in their
   * URLs.
   */
  readonly port?: number | undefined;
  readonly choosePort?: () => Promise<number>;
  readonly signal?: AbortSignal;
}

/**
 * Starts the embedded Postgres on `DATA_DIR/postgres`, created if absent. It listens on loopback only; the password
 * of its role is in `DATA_DIR/postgres.password`. See docs/adr/0003-embedded-postgres.md.
 */
export async function startPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const { dataDir, log, signal } = options;
  const home = postgresHome(dataDir);
  const cluster = {
    directory: join(home.directory, 'data'),
    account: home.account,
    binaries: findBinaries(home.account),
  };
  await stopOrphanedPostgres(cluster.directory, log);
  const password = await preparePassword(cluster, join(dataDir, 'postgres.password'), signal);
  const { server, port } = await listen(cluster, options);
  const urlOf = (database: string) => `postgres://plaza:${password}@127.0.0.1:${port}/${database}`;
  const [databaseUrl, vaultDatabaseUrl, witnessDatabaseUrl] = EMBEDDED_DATABASES.map(urlOf) as [
    string,
    string,
    string,
  ];
  try {
    await ensureDatabases(databaseUrl);
  } catch (error) {
    await server.stop();
    throw error;
  }
  return { ...server, port, databaseUrl, vaultDatabaseUrl, witnessDatabaseUrl };
}

/**
 * Returns the password of the role. A new password is stored in its file only after the cluster has it: a crash in
 * between leaves a cluster without a known password, and the next start sets another.
 */
async function preparePassword(cluster: Cluster, file: string, signal?: AbortSignal): Promise<string> {
  const stored = readSecret(file);
  const value = stored ?? newSecret();
  await ensureCluster(cluster, { value, isNew: stored === undefined }, signal);
  return stored ?? storeSecret(file, value);
}

async function ensureDatabases(url: string): Promise<void> {
  const client = new StoreClient({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<{ datname: string }>('SELECT datname FROM pg_database');
    const missing = EMBEDDED_DATABASES.filter((name) => rows.every(({ datname }) => datname !== name));
    for (const name of missing) await client.query(`CREATE DATABASE ${name}`);
  } finally {
    await client.end();
  }
}

/**
 * Starts the server. Retries while a port is taken (with another one), or while workers of a killed server still use
 * the shared memory. Every other failure is final.
 */
async function listen(
  cluster: Cluster,
  { log, port: fixedPort, choosePort = freePort, signal }: EmbeddedPostgresOptions,
): Promise<{ server: RunningProcess; port: number }> {
  const deadline = performance.now() + OLD_WORKERS_TIMEOUT_MS;
  for (;;) {
    const port = fixedPort ?? (await choosePort());
    try {
      return { server: await startServer(cluster, port, { log, signal }), port };
    } catch (error) {
      if (!(error instanceof PostgresStartError) || performance.now() > deadline) throw error;
      const isPortTaken =
        fixedPort === undefined && error.reason.includes('could not create any TCP/IP sockets');
      const hasOldWorkers = error.reason.includes('pre-existing shared memory block');
      if (!isPortTaken && !hasOldWorkers) throw error;
      await sleep(100, signal);
      signal?.throwIfAborted();
    }
  }
}

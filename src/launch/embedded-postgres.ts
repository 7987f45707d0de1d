import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import type { Logger } from 'pino';
import { freePort } from './free-port.js';
import { findBinaries } from './postgres/binaries.js';
import { DATABASES, ensureCluster } from './postgres/cluster.js';
import type { Cluster } from './postgres/cluster.js';
import { postgresHome } from './postgres/home.js';
import { clearOrphan } from './postgres/orphan.js';
import { PostgresRefusal, startServer } from './postgres/server.js';
import type { Running } from './running.js';
import { keepSecret, newSecret, readSecret } from './secret-file.js';

const LONGEST_WAIT_FOR_OLD_WORKERS_MS = 15_000;

export interface EmbeddedPostgres extends Running {
  readonly port: number;
  readonly databaseUrl: string;
  readonly vaultDatabaseUrl: string;
  readonly witnessDatabaseUrl: string;
}

export interface PostgresOptions {
  /** Must be there, and be held by the caller (see data-dir.ts): what runs in it is taken for an orphan. */
  readonly dataDir: string;
  readonly log: Logger;
  /** Unset: a free one. Set for a restart, since others hold the URLs. */
  readonly port?: number | undefined;
  /** How a free one is chosen, and chosen anew where it is taken before Postgres has it. */
  readonly choosePort?: () => Promise<number>;
  /** Gives up the start, however far it is, and leaves nothing running. */
  readonly signal?: AbortSignal;
}

/**
 * Starts a real Postgres on `DATA_DIR/postgres`, making it first if it is not there. It listens on loopback only, on a
 * port of its own, for a role whose password is kept in `DATA_DIR/postgres.password`. Why it is done by hand:
 * docs/adr/0003-embedded-postgres.md.
 */
export async function startPostgres(options: PostgresOptions): Promise<EmbeddedPostgres> {
  const { dataDir, log, signal } = options;
  const home = postgresHome(dataDir);
  const cluster = {
    directory: join(home.directory, 'data'),
    account: home.account,
    binaries: findBinaries(home.account),
  };
  await clearOrphan(cluster.directory, log);
  const password = await preparedFor(cluster, join(dataDir, 'postgres.password'), signal);
  const { server, port } = await listen(cluster, options);
  const urlOf = (database: string) => `postgres://plaza:${password}@127.0.0.1:${port}/${database}`;
  const [databaseUrl, vaultDatabaseUrl, witnessDatabaseUrl] = DATABASES.map(urlOf) as [
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

/** Answers the password. A new one is kept only once the cluster knows it: else a start that dies in between locks us out. */
async function preparedFor(cluster: Cluster, file: string, signal?: AbortSignal): Promise<string> {
  const kept = readSecret(file);
  const value = kept ?? newSecret();
  await ensureCluster(cluster, { value, isNew: kept === undefined }, signal);
  return kept ?? keepSecret(file, value);
}

/** A cluster that an earlier release made has fewer. */
async function ensureDatabases(url: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<{ datname: string }>('SELECT datname FROM pg_database');
    const missing = DATABASES.filter((name) => rows.every(({ datname }) => datname !== name));
    for (const name of missing) await client.query(`CREATE DATABASE ${name}`);
  } finally {
    await client.end();
  }
}

/** Tries again for the two refusals that pass by themselves; any other is final. */
async function listen(
  cluster: Cluster,
  { log, port: fixed, choosePort = freePort, signal }: PostgresOptions,
): Promise<{ server: Running; port: number }> {
  const deadline = performance.now() + LONGEST_WAIT_FOR_OLD_WORKERS_MS;
  for (;;) {
    const port = fixed ?? (await choosePort());
    try {
      return { server: await startServer(cluster, port, { log, signal }), port };
    } catch (error) {
      if (!(error instanceof PostgresRefusal) || performance.now() > deadline) throw error;
      // The port was taken between our look and its start.
      const another = fixed === undefined && error.reason.includes('could not create any TCP/IP sockets');
      // Workers of a killed server, which notice its end within moments.
      const oldWorkers = error.reason.includes('pre-existing shared memory block');
      if (!another && !oldWorkers) throw error;
      await delay(100, undefined, { signal });
    }
  }
}

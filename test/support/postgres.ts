import { randomBytes } from 'node:crypto';
import { Client } from 'pg';
import { pino } from 'pino';
import { startPostgres } from '../../src/launch/embedded-postgres.js';
import { removeDataDir } from './data-dir.js';
import { dataDirFromTemplate } from './templates.js';

/** A real Postgres server for one spec file. */
export interface TestPostgres {
  /** Creates an empty database and returns its URL. */
  createDatabase(): Promise<string>;
  /** Kills the server, and waits until it has ended. */
  kill(): Promise<void>;
  /** Starts it again on the same data and port. */
  start(): Promise<void>;
  /** Stops it and removes its data. */
  stop(): Promise<void>;
}

const log = pino({ level: 'silent' });

/** A `DATA_DIR` with an initialized cluster and empty databases. */
export function dataDirWithCluster(): Promise<string> {
  return dataDirFromTemplate('cluster', async (dataDir) => {
    const server = await startPostgres({ dataDir, log });
    await server.stop();
  });
}

/** Starts a server on a free port with a new cluster. */
export async function startTestPostgres(): Promise<TestPostgres> {
  const dataDir = await dataDirWithCluster();
  let server = await startPostgres({ dataDir, log });
  return {
    async createDatabase() {
      const name = `test_${randomBytes(6).toString('hex')}`;
      const client = new Client(server.databaseUrl);
      await client.connect();
      await client.query(`CREATE DATABASE ${name}`);
      await client.end();
      const url = new URL(server.databaseUrl);
      url.pathname = name;
      return url.href;
    },
    async kill() {
      server.kill();
      await server.exited;
    },
    async start() {
      server = await startPostgres({ dataDir, log, port: server.port });
    },
    async stop() {
      await server.stop();
      removeDataDir(dataDir);
    },
  };
}

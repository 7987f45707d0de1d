import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { Client } from 'pg';
import { pino } from 'pino';
import { startPostgres } from '../../src/launch/embedded-postgres.js';
import { openReadStore } from '../../src/base/store/database.js';
import { removeDataDir } from './data-dir.js';
import { dataDirFromTemplate } from './templates.js';

/** Databases on a real Postgres server. */
export interface TestPostgres {
  /** Creates an empty database and returns its URL. */
  createDatabase(): Promise<string>;
  /** Creates one with the tables of the read store, for a quarter of what migrating it takes, and returns its URL. */
  createReadStore(): Promise<string>;
  /** Ends what uses the databases, and removes them. */
  stop(): Promise<void>;
}

/** A server that no other spec file uses. */
export interface OwnPostgres extends TestPostgres {
  /** Id of its first process, the parent of the others. */
  pid(): number;
  /** Kills the server, and waits until it has ended. */
  kill(): Promise<void>;
  /** Stops it in order and keeps its data. */
  halt(): Promise<void>;
  /** Starts it again on the same data and port. */
  start(): Promise<void>;
}

const log = pino({ level: 'silent' });

/** A database with the tables of the read store, to copy. */
const READ_STORE = 'test_read_store';

/** A `DATA_DIR` with an initialized cluster, empty databases, and {@link READ_STORE}. */
export function dataDirWithCluster(): Promise<string> {
  return dataDirFromTemplate('cluster', async (dataDir) => {
    const server = await startPostgres({ dataDir, log });
    try {
      const url = await createDatabase(server.databaseUrl, { name: READ_STORE });
      await (await openReadStore({ url, applicationName: 'test', maxConnections: 1 })).close();
    } finally {
      await server.stop();
    }
  });
}

/** Databases on the server of this test worker, which the first caller starts: its spec files run one after the other. */
export async function startTestPostgres(): Promise<TestPostgres> {
  const serverUrl = await workersServer();
  const names: string[] = [];
  const create = async (options?: DatabaseOptions) => {
    const url = await createDatabase(serverUrl, options);
    names.push(new URL(url).pathname.slice(1));
    return url;
  };
  return {
    createDatabase: () => create(),
    createReadStore: () => create({ template: READ_STORE }),
    async stop() {
      const client = new Client(serverUrl);
      await client.connect();
      // Not `WITH (FORCE)`, which is refused while autovacuum is in one.
      const others = 'FROM pg_stat_activity WHERE datname = ANY ($1) AND usename = current_user';
      await client.query(`SELECT pg_terminate_backend(pid) ${others}`, [names]);
      for (const name of names.splice(0)) await client.query(`DROP DATABASE ${name}`);
      await client.end();
    },
  };
}

/** Starts a server with a new cluster on a free port, for a spec that kills it or changes its role. */
export async function startOwnPostgres(): Promise<OwnPostgres> {
  const dataDir = await dataDirWithCluster();
  let server = await startPostgres({ dataDir, log });
  return {
    createDatabase: () => createDatabase(server.databaseUrl),
    createReadStore: () => createDatabase(server.databaseUrl, { template: READ_STORE }),
    pid: () => server.pid,
    halt: () => server.stop(),
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

interface DatabaseOptions {
  readonly name?: string;
  readonly template?: string;
}

/** Creates a database on the server of that URL, as a copy of `template`, to which nobody may be connected. Returns its URL. */
export async function createDatabase(
  serverUrl: string,
  { name = `test_${randomBytes(6).toString('hex')}`, template = 'template1' }: DatabaseOptions = {},
): Promise<string> {
  const client = new Client(serverUrl);
  await client.connect();
  try {
    // Half as expensive as through the write-ahead log.
    await client.query(`CREATE DATABASE ${name} TEMPLATE ${template} STRATEGY FILE_COPY`);
  } finally {
    await client.end();
  }
  const url = new URL(serverUrl);
  url.pathname = name;
  return url.href;
}

/** The modules of test/ are new for each spec file, and the server goes on. */
const SERVER = Symbol.for('plaza.testPostgres');
const worker = globalThis as { [SERVER]?: Promise<string> };

function workersServer(): Promise<string> {
  return (worker[SERVER] ??= startServer());
}

/** Resolves with its URL. It stops when this process has ended. */
async function startServer(): Promise<string> {
  const run = process.env['PLAZA_TEST_RUN'];
  if (run === undefined) throw new Error('a server is shared in a run of tests that run.setup.mjs began');
  const program = fileURLToPath(new URL('postgres-server.ts', import.meta.url));
  const hook = new URL('typescript.hooks.mjs', import.meta.url).href;
  const child = spawn(process.execPath, ['--import', hook, program, run], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit').then(([code]) => {
    delete worker[SERVER];
    throw new Error(`the Postgres server of this test worker ended with ${String(code)}`);
  });
  ended.catch(() => undefined);
  const [url] = (await Promise.race([once(createInterface(child.stdout), 'line'), ended])) as [string];
  child.unref();
  for (const stream of [child.stdin, child.stdout]) if (stream instanceof Socket) stream.unref();
  return url;
}

import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { Client } from 'pg';
import { pino } from 'pino';
import { startPostgres } from '../../src/launch/embedded-postgres.js';
import type { EmbeddedPostgres } from '../../src/launch/embedded-postgres.js';
import { freePort } from '../../src/launch/free-port.js';
import { findBinaries, removeUnfinishedCopies } from '../../src/launch/postgres/binaries.js';
import { ensureCluster } from '../../src/launch/postgres/cluster.js';
import { postgresHome } from '../../src/launch/postgres/home.js';
import { waitUntilGone, isAlive } from '../../src/launch/processes.js';
import { newDataDir, removeDataDir } from '../support/data-dir.js';

const log = pino({ level: 'silent' });
const asRoot = process.getuid?.() === 0;
const started: EmbeddedPostgres[] = [];
const made: string[] = [];
/** Shared by all tests, since creating a cluster takes longer than everything else. */
let dataDir = '';

beforeAll(() => {
  dataDir = newNetworkDir();
});

afterEach(async () => {
  await Promise.all(started.splice(0).map((postgres) => postgres.stop()));
});

afterAll(() => {
  made.forEach(removeDataDir);
});

function newNetworkDir(mode?: number): string {
  const dataDir = newDataDir(mode);
  made.push(dataDir);
  return dataDir;
}

async function start(where = dataDir, choosePort = freePort): Promise<EmbeddedPostgres> {
  const postgres = await startPostgres({ dataDir: where, log, choosePort });
  started.push(postgres);
  return postgres;
}

async function query(url: string, sql: string): Promise<unknown[]> {
  const client = new Client(url);
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

async function startWithOneRow(where = dataDir): Promise<EmbeddedPostgres> {
  const postgres = await start(where);
  await query(postgres.databaseUrl, 'CREATE TABLE IF NOT EXISTS kept AS SELECT 42 AS answer');
  return postgres;
}

const keptRows = (postgres: EmbeddedPostgres) => query(postgres.databaseUrl, 'SELECT answer FROM kept');

describe('the embedded Postgres', () => {
  it('has two databases and durable writes, and rejects clients without the password', async () => {
    const postgres = await start();
    expect(await query(postgres.databaseUrl, 'SELECT current_database()')).toEqual([
      { current_database: 'plaza' },
    ]);
    expect(await query(postgres.vaultDatabaseUrl, 'SHOW fsync')).toEqual([{ fsync: 'on' }]);
    expect(await query(postgres.databaseUrl, 'SHOW listen_addresses')).toEqual([
      { listen_addresses: '127.0.0.1' },
    ]);
    const stranger = new URL(postgres.databaseUrl);
    stranger.password = 'guess';
    await expect(query(stranger.href, 'SELECT 1')).rejects.toThrow(/password authentication failed/);
    stranger.username = 'postgres';
    await expect(query(stranger.href, 'SELECT 1')).rejects.toThrow(/no pg_hba.conf entry/);
  });

  it('keeps its password in a file that only its owner can read', async () => {
    const { databaseUrl } = await start();
    const file = join(dataDir, 'postgres.password');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(new URL(databaseUrl).password).toBe(readFileSync(file, 'utf8').trim());
  });

  it('keeps its data, and gets a new password if the file is lost', async () => {
    await (await startWithOneRow()).stop();
    rmSync(join(dataDir, 'postgres.password'));
    expect(await keptRows(await start())).toEqual([{ answer: 42 }]);
  });

  it.each(['', '\n'])('gets a new password when a power cut left %j of the file', async (content) => {
    await (await startWithOneRow()).stop();
    writeFileSync(join(dataDir, 'postgres.password'), content);
    const postgres = await start();
    expect(new URL(postgres.databaseUrl).password).toHaveLength(43);
    expect(await keptRows(postgres)).toEqual([{ answer: 42 }]);
  });

  it('starts after an aborted start that had not set its new password', async () => {
    await (await startWithOneRow()).stop();
    rmSync(join(dataDir, 'postgres.password'));
    const giving = new AbortController();
    giving.abort(new Error('enough'));
    await expect(startPostgres({ dataDir, log, signal: giving.signal })).rejects.toThrow('enough');
    expect(await keptRows(await start())).toEqual([{ answer: 42 }]);
  });

  it('reports why its data cannot be prepared, without the password', async () => {
    await (await startWithOneRow()).stop();
    const { directory, account } = postgresHome(dataDir);
    const cluster = { directory: join(directory, 'data'), account, binaries: findBinaries(account) };
    const refused = ensureCluster(cluster, { value: "hidden' NONSENSE '", isNew: true });
    await expect(refused).rejects.toThrow(/^(?:initdb|postgres) failed on \S+: (?:ERROR|FATAL): /);
    await expect(refused).rejects.not.toThrow(/hidden/);
  });

  it('recovers after a kill -9 of the server', async () => {
    const postgres = await startWithOneRow();
    process.kill(postgres.pid, 'SIGKILL');
    await postgres.exited;
    expect(await keptRows(await start())).toEqual([{ answer: 42 }]);
  });

  it('stops a server that an earlier start left running, and takes over its data', async () => {
    const orphan = await startWithOneRow();
    const postgres = await start();
    expect(isAlive(orphan.pid)).toBe(false);
    expect(await keptRows(postgres)).toEqual([{ answer: 42 }]);
  });

  it('starts despite a pid file whose id belongs to another process', async () => {
    const postgres = await startWithOneRow();
    const file = join(realpathSync(join(dataDir, 'postgres')), 'data', 'postmaster.pid');
    const [, ...rest] = readFileSync(file, 'utf8').split('\n');
    await postgres.stop();
    writeFileSync(file, ['1', ...rest].join('\n'));
    expect(await keptRows(await start())).toEqual([{ answer: 42 }]);
  });

  it('runs beside others', async () => {
    const [one, other] = await Promise.all([start(), start(newNetworkDir())]);
    expect(one.port).not.toBe(other.port);
  });

  it('chooses another port if its first choice is taken', async () => {
    const stranger = createServer().listen(await freePort(), '127.0.0.1');
    await once(stranger, 'listening');
    const { port: taken } = stranger.address() as AddressInfo;
    const ports = [taken, taken];
    const choosePort = async () => ports.shift() ?? (await freePort());
    try {
      const postgres = await start(dataDir, choosePort);
      expect(postgres.port).not.toBe(taken);
      expect(ports).toEqual([]);
    } finally {
      stranger.close();
    }
  });

  it('leaves no process behind when it stops', async () => {
    const postgres = await start();
    await postgres.stop();
    expect(await waitUntilGone(postgres.pid, 0)).toBe(true);
    await expect(query(postgres.databaseUrl, 'SELECT 1')).rejects.toThrow(/ECONNREFUSED/);
  });

  it('reports a directory with other content, and what to do', async () => {
    const dataDir = newNetworkDir();
    mkdirSync(join(dataDir, 'postgres', 'data'), { recursive: true });
    await expect(start(dataDir)).rejects.toThrow(/^DATA_DIR: .* is no Postgres data; move it away/);
    writeFileSync(join(dataDir, 'postgres', 'data', 'PG_VERSION'), '15\n');
    await expect(start(dataDir)).rejects.toThrow(/^DATA_DIR: .* was made by Postgres 15/);
  });
});

(asRoot ? describe : describe.skip)('the embedded Postgres, started by root', () => {
  it('replaces an unfinished directory of an earlier start in one step', () => {
    const dataDir = newNetworkDir();
    mkdirSync(join(dataDir, 'postgres.new', 'half'), { recursive: true });
    const { directory, account } = postgresHome(dataDir);
    expect(statSync(directory)).toMatchObject({ uid: account!.uid, gid: account!.gid });
    expect(account!.uid).not.toBe(0);
    expect(readdirSync(dataDir)).toEqual(['postgres']);
    expect(readdirSync(directory)).toEqual([]);
  });

  it('starts under a directory that only root can enter, with a link to its data', async () => {
    const dataDir = newNetworkDir(0o700);
    await (await startWithOneRow(dataDir)).stop();
    const home = realpathSync(join(dataDir, 'postgres'));
    expect(home).toMatch(/^\/var\/lib\/plaza\/network-/);
    expect(statSync(join(home, 'data')).uid).not.toBe(0);
    expect(await keptRows(await start(dataDir))).toEqual([{ answer: 42 }]);
    await started.pop()?.stop();
    rmSync(home, { recursive: true });
    await expect(start(dataDir)).rejects.toThrow(/link to a directory that is gone/);
    mkdirSync(home);
  });
});

describe('the copies of Postgres for another account', () => {
  it('are removed if unfinished, unless one may still be in progress', () => {
    const home = newNetworkDir();
    const names = [
      'postgres-18.0',
      'postgres-18.0.unfinished-old',
      'postgres-18.0.unfinished-new',
      'network-x',
    ];
    for (const name of names) mkdirSync(join(home, name, 'bin'), { recursive: true });
    const longAgo = new Date(Date.now() - 86_400_000);
    for (const name of names.filter((name) => !name.endsWith('new')))
      utimesSync(join(home, name), longAgo, longAgo);
    removeUnfinishedCopies(home);
    expect(readdirSync(home).toSorted()).toEqual(names.filter((name) => !name.endsWith('old')).toSorted());
  });
});

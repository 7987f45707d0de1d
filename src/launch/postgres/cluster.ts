import { spawn } from 'node:child_process';
import type { SpawnOptionsWithStdioTuple, StdioNull, StdioPipe } from 'node:child_process';
import {
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { LaunchError } from '../launch-error.js';
import type { Account } from './account.js';
import type { Secret } from '../secret-file.js';
import type { Binaries } from './binaries.js';

/** The version of the data format: what `PG_VERSION` in a cluster says. */
const MAJOR = '18';
const ROLE = 'plaza';
/** The read and authority stores share one database; the keys of personal data have one of their own. */
export const DATABASES = ['plaza', 'plaza_vault'] as const;

/** A data directory of Postgres: where it is, what runs it, and as whom. */
export interface Cluster {
  readonly directory: string;
  readonly binaries: Binaries;
  readonly account: Account | undefined;
}

/** Makes the cluster if it is not there. It appears in one step: a start that dies half-way is simply made again. */
export async function ensureCluster(cluster: Cluster, password: Secret): Promise<void> {
  const { directory } = cluster;
  if (!existsSync(directory)) return create(cluster, password);
  checkVersion(directory);
  if (password.isNew) await administer(cluster, [`ALTER ROLE ${ROLE} PASSWORD '${password.value}'`]);
}

async function create(cluster: Cluster, password: Secret): Promise<void> {
  const directory = `${cluster.directory}.new`;
  const unfinished = { ...cluster, directory };
  // Retried: an initdb whose launcher was killed may still be writing there.
  rmSync(directory, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  // The superuser has no password and no line in pg_hba.conf: nobody can sign in as it over the network.
  await initdb(unfinished, [
    '--username=postgres',
    '--auth=reject',
    '--encoding=UTF8',
    '--locale=C',
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
    '--no-instructions',
    '--no-sync',
  ]);
  const admission = join(directory, 'pg_hba.conf');
  writeFileSync(admission, `host all ${ROLE} 127.0.0.1/32 scram-sha-256\n`);
  const statements = [
    `CREATE ROLE ${ROLE} LOGIN CREATEDB PASSWORD '${password.value}'`,
    ...DATABASES.map((name) => `CREATE DATABASE ${name} OWNER ${ROLE}`),
  ];
  await administer(unfinished, statements, ['-c', 'fsync=off']);
  // All of it reaches the disk here, at once, before the cluster appears under its name.
  await initdb(unfinished, ['--sync-only']);
  renameSync(directory, cluster.directory);
  syncDirectory(dirname(directory));
}

function syncDirectory(path: string): void {
  const handle = openSync(path, 'r');
  fsyncSync(handle);
  closeSync(handle);
}

function checkVersion(directory: string): void {
  const file = join(directory, 'PG_VERSION');
  if (!existsSync(file))
    throw new LaunchError(
      `DATA_DIR: ${directory} is there but is no Postgres data; move it away or use another DATA_DIR`,
    );
  const version = readFileSync(file, 'utf8').trim();
  if (version !== MAJOR)
    throw new LaunchError(
      `DATA_DIR: ${directory} was made by Postgres ${version} and this is ${MAJOR}; start with the release that made it, take a backup, and restore it here`,
    );
}

function initdb(cluster: Cluster, flags: string[]): Promise<void> {
  return run(cluster, cluster.binaries.initdb, [`--pgdata=${cluster.directory}`, ...flags]);
}

/** Statements as superuser, without a server: Postgres in single-user mode, which takes one a line. */
function administer(cluster: Cluster, statements: string[], flags: string[] = []): Promise<void> {
  // exit_on_error: else a refused statement is only a line on stderr.
  const args = ['--single', '-D', cluster.directory, '-c', 'exit_on_error=on', ...flags, 'postgres'];
  return run(cluster, cluster.binaries.postgres, args, statements.join('\n'));
}

async function run({ account }: Cluster, program: string, args: string[], input = ''): Promise<void> {
  const child = spawn(program, args, spawnOptions(account));
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once('error', (error) =>
      reject(new LaunchError(`the embedded Postgres does not run here: ${error.message}`)),
    );
    child.once('close', resolve);
  });
  // It may end before it has read its input; how it ended is what counts.
  child.stdin.on('error', () => undefined).end(`${input}\n`);
  const [code, said] = await Promise.all([ended, text(child.stderr)]);
  if (code !== 0) throw new LaunchError(`Postgres could not prepare its data: ${lastLine(said)}`);
}

/** The environment holds nothing of ours: a stray `PGDATA` or `PGOPTIONS` must not change what is started. */
export function spawnOptions(
  account: Account | undefined,
): SpawnOptionsWithStdioTuple<StdioPipe, StdioNull, StdioPipe> {
  return {
    cwd: '/',
    env: { LC_ALL: 'C', TZ: 'UTC' },
    stdio: ['pipe', 'ignore', 'pipe'],
    // A group of its own, so that Ctrl-C reaches it only through the launcher, in its turn.
    detached: true,
    ...(account && { uid: account.uid, gid: account.gid }),
  };
}

/** What Postgres said last, which is where its reason stands. */
export function lastLine(said: string): string {
  return said.trim().split('\n').at(-1) ?? '';
}

import { spawn } from 'node:child_process';
import type { SpawnOptionsWithStdioTuple, StdioNull, StdioPipe } from 'node:child_process';
import { existsSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { overwriteFile, syncDirectory } from '../files.js';
import { LaunchError } from '../launch-error.js';
import type { SystemAccount } from './system-account.js';
import type { PostgresPrograms } from './binaries.js';
import { lastErrorLine } from './last-fault.js';

const MAJOR = '18';
const ROLE = 'plaza';
export const EMBEDDED_DATABASES = ['plaza', 'plaza_vault', 'plaza_witness'] as const;

export interface Cluster {
  readonly directory: string;
  readonly binaries: PostgresPrograms;
  readonly account: SystemAccount | undefined;
}

export interface Password {
  readonly value: string;
  readonly isNew: boolean;
}

/**
 * Creates the data of Postgres if absent, and sets a new password. The data appear atomically: the next start
 * discards what an interrupted one leaves.
 * @throws {LaunchError} the data is of another major version, or Postgres fails.
 */
export async function ensureCluster(
  cluster: Cluster,
  password: Password,
  signal?: AbortSignal,
): Promise<void> {
  const { directory } = cluster;
  if (!existsSync(directory)) return create(cluster, password, signal);
  checkVersion(directory);
  if (password.isNew)
    await administer(cluster, [`ALTER ROLE ${ROLE} PASSWORD '${password.value}'`], [], signal);
}

async function create(cluster: Cluster, password: Password, signal: AbortSignal | undefined): Promise<void> {
  const directory = `${cluster.directory}.new`;
  const unfinished = { ...cluster, directory };
  // Retries while an initdb of a killed launcher still writes there.
  rmSync(directory, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  // The superuser has no password and no line in pg_hba.conf, so it cannot sign in over the network.
  const flags = [
    '--username=postgres',
    '--auth=reject',
    '--encoding=UTF8',
    '--locale=C',
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
    '--no-instructions',
    '--no-sync',
  ];
  await initdb(unfinished, flags, signal);
  overwriteFile(join(directory, 'pg_hba.conf'), `host all ${ROLE} 127.0.0.1/32 scram-sha-256\n`);
  const statements = [
    `CREATE ROLE ${ROLE} LOGIN CREATEDB PASSWORD '${password.value}'`,
    ...EMBEDDED_DATABASES.map((name) => `CREATE DATABASE ${name} OWNER ${ROLE}`),
  ];
  await administer(unfinished, statements, ['-c', 'fsync=off'], signal);
  await initdb(unfinished, ['--sync-only'], signal);
  renameSync(directory, cluster.directory);
  syncDirectory(dirname(directory));
}

function checkVersion(directory: string): void {
  const file = join(directory, 'PG_VERSION');
  if (!existsSync(file))
    throw new LaunchError(
      `DATA_DIR: ${directory} exists but is no Postgres data; move it away or use another DATA_DIR`,
    );
  const version = readFileSync(file, 'utf8').trim();
  if (version !== MAJOR)
    throw new LaunchError(
      `DATA_DIR: ${directory} was made by Postgres ${version} and this is ${MAJOR}; start with the release that made it, take a backup, and restore it here`,
    );
}

function initdb(cluster: Cluster, flags: string[], signal: AbortSignal | undefined): Promise<void> {
  const args = [`--pgdata=${cluster.directory}`, ...flags];
  return run(cluster, cluster.binaries.initdb, { args, signal });
}

/** Settings that keep statements, which hold a password, out of the output: error messages quote the output. */
const QUIET_SETTINGS = ['log_checkpoints=off', 'log_min_error_statement=panic', 'log_line_prefix='];

function administer(
  cluster: Cluster,
  statements: string[],
  flags: string[],
  signal: AbortSignal | undefined,
): Promise<void> {
  // Without exit_on_error a refused statement is only a line on stderr.
  const settings = ['exit_on_error=on', ...QUIET_SETTINGS].flatMap((setting) => ['-c', setting]);
  const args = ['--single', '-D', cluster.directory, ...settings, ...flags, 'postgres'];
  return run(cluster, cluster.binaries.postgres, { args, input: statements.join('\n'), signal });
}

interface Run {
  readonly args: readonly string[];
  readonly input?: string;
  readonly signal: AbortSignal | undefined;
}

async function run(cluster: Cluster, program: string, { args, input = '', signal }: Run): Promise<void> {
  signal?.throwIfAborted();
  const child = spawn(program, args, spawnOptions(cluster.account));
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once('error', (error) =>
      reject(
        new LaunchError(`the program ${program} of the embedded Postgres cannot be run: ${error.message}`),
      ),
    );
    child.once('close', resolve);
  });
  const giveUp = () => child.kill('SIGTERM');
  signal?.addEventListener('abort', giveUp);
  // Only the exit code counts, even if the process ends before it reads its input.
  child.stdin.on('error', () => undefined).end(`${input}\n`);
  const [code, output] = await Promise.all([ended, text(child.stderr)]);
  signal?.removeEventListener('abort', giveUp);
  signal?.throwIfAborted();
  if (code !== 0)
    throw new LaunchError(`${basename(program)} failed on ${cluster.directory}: ${lastErrorLine(output)}`);
}

/**
 * Options to start a Postgres program. Its environment has only what it needs: a stray `PGDATA` or `PGOPTIONS` must
 * not change the start.
 */
export function spawnOptions(
  account: SystemAccount | undefined,
): SpawnOptionsWithStdioTuple<StdioPipe, StdioNull, StdioPipe> {
  return {
    cwd: '/',
    env: { LC_ALL: 'C', TZ: 'UTC' },
    stdio: ['pipe', 'ignore', 'pipe'],
    detached: true,
    ...(account && { uid: account.uid, gid: account.gid }),
  };
}

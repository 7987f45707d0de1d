import {
  chmodSync,
  existsSync,
  lchownSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { LaunchError } from '../launch-error.js';
import { accountForPostgres, isOpenToOthers } from './system-account.js';
import type { SystemAccount } from './system-account.js';

/**
 * Directory for the data and programs of Postgres when root starts the network, and other accounts cannot enter
 * `DATA_DIR` or the clone.
 */
export const OPEN_HOME = '/var/lib/plaza';

export interface PostgresHome {
  readonly directory: string;
  readonly account: SystemAccount | undefined;
}

/**
 * Finds or creates `DATA_DIR/postgres`, and returns it with the account that must run Postgres. If that account
 * cannot enter `DATA_DIR`, the entry is a link to a directory under {@link OPEN_HOME}.
 * @throws {LaunchError}
 */
export function postgresHome(dataDir: string): PostgresHome {
  const entry = join(dataDir, 'postgres');
  if (!exists(entry)) create(entry, dataDir, accountForPostgres(dataDir));
  if (!existsSync(entry))
    throw new LaunchError(
      `DATA_DIR: ${entry} is a link to a directory that is gone; bring that directory back, or start with another DATA_DIR`,
    );
  const directory = realpathSync(entry);
  if (isRootsVolume(directory)) changeOwner(directory, accountForPostgres(dataDir));
  const { uid, gid } = statSync(directory);
  if (uid === process.getuid?.()) return { directory, account: undefined };
  if (process.getuid?.() === 0) return { directory, account: { uid, gid } };
  throw new LaunchError(
    `DATA_DIR: ${directory} belongs to another account; start as the user that started the network first, or with another DATA_DIR`,
  );
}

function isRootsVolume(directory: string): boolean {
  if (process.getuid?.() !== 0 || statSync(directory).uid !== 0) return false;
  return readdirSync(directory).every((name) => name === 'lost+found');
}

function changeOwner(directory: string, account: SystemAccount | undefined): void {
  if (!account) return;
  if (!isOpenToOthers(dirname(directory)))
    throw new LaunchError(
      `DATA_DIR: Postgres cannot run as root, and its account cannot enter ${dirname(directory)}; let others pass through it (chmod o+x), or start as another user`,
    );
  lchownSync(directory, account.uid, account.gid);
  chmodSync(directory, 0o700);
}

function create(entry: string, dataDir: string, account: SystemAccount | undefined): void {
  if (!account || isOpenToOthers(realpathSync(dataDir))) {
    // Renamed after the change of owner: a directory that still belongs to root would look like the choice of its
    // owner.
    const unfinished = `${entry}.new`;
    rmSync(unfinished, { recursive: true, force: true });
    mkdirSync(unfinished, { mode: 0o700 });
    if (account) lchownSync(unfinished, account.uid, account.gid);
    renameSync(unfinished, entry);
    return;
  }
  makeOpenHome();
  const target = mkdtempSync(join(OPEN_HOME, 'network-'));
  writeFileSync(
    join(target, 'README'),
    `The embedded Postgres of the Plaza network whose DATA_DIR is ${dataDir}\n`,
  );
  lchownSync(target, account.uid, account.gid);
  symlinkSync(target, entry);
}

export function makeOpenHome(): void {
  mkdirSync(OPEN_HOME, { recursive: true });
  chmodSync(OPEN_HOME, 0o755);
  if (isOpenToOthers(OPEN_HOME)) return;
  throw new LaunchError(
    `Postgres cannot run as root, and other accounts can enter neither this directory nor ${OPEN_HOME}; start as another user`,
  );
}

function exists(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

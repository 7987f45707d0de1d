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
import { accountForPostgres, letsOthersIn } from './account.js';
import type { Account } from './account.js';

/** Where a network started by root keeps what Postgres must reach, when `DATA_DIR` or the clone is closed to others. */
export const OPEN_HOME = '/var/lib/plaza';

/** The directory of the embedded Postgres, and the account that owns it where that is not our own. */
export interface PostgresHome {
  readonly directory: string;
  readonly account: Account | undefined;
}

/**
 * Makes `DATA_DIR/postgres` or finds it. If Postgres' account cannot enter `DATA_DIR` (a clone in root's home), it is
 * a link to a directory under {@link OPEN_HOME}, so that whoever looks finds where the data is.
 */
export function postgresHome(dataDir: string): PostgresHome {
  const place = join(dataDir, 'postgres');
  if (!isThere(place)) create(place, dataDir, accountForPostgres(dataDir));
  if (!existsSync(place))
    throw new LaunchError(
      `DATA_DIR: ${place} is a link to a directory that is gone; bring that directory back, or start with another DATA_DIR`,
    );
  const directory = realpathSync(place);
  if (isRootsVolume(directory)) giveAway(directory, accountForPostgres(dataDir));
  const { uid, gid } = statSync(directory);
  if (uid === process.getuid?.()) return { directory, account: undefined };
  if (process.getuid?.() === 0) return { directory, account: { uid, gid } };
  throw new LaunchError(
    `DATA_DIR: ${directory} belongs to another account; start as the user that started the network first, or with another DATA_DIR`,
  );
}

/** A file system that root has mounted there and that nothing was put on: Postgres cannot run as its owner. */
function isRootsVolume(directory: string): boolean {
  if (process.getuid?.() !== 0 || statSync(directory).uid !== 0) return false;
  return readdirSync(directory).every((name) => name === 'lost+found');
}

/** @throws {LaunchError} the account cannot get there. */
function giveAway(directory: string, account: Account | undefined): void {
  if (!account) return;
  if (!letsOthersIn(dirname(directory)))
    throw new LaunchError(
      `DATA_DIR: Postgres cannot run as root, and its account cannot enter ${dirname(directory)}; let others pass through it (chmod o+x), or start as another user`,
    );
  lchownSync(directory, account.uid, account.gid);
  chmodSync(directory, 0o700);
}

function create(place: string, dataDir: string, account: Account | undefined): void {
  if (!account || letsOthersIn(realpathSync(dataDir))) {
    // In one step: a directory that is still ours would be taken for one that was made by its owner.
    const unfinished = `${place}.new`;
    rmSync(unfinished, { recursive: true, force: true });
    mkdirSync(unfinished, { mode: 0o700 });
    if (account) lchownSync(unfinished, account.uid, account.gid);
    renameSync(unfinished, place);
    return;
  }
  makeOpenHome();
  const elsewhere = mkdtempSync(join(OPEN_HOME, 'network-'));
  writeFileSync(
    join(elsewhere, 'README'),
    `The embedded Postgres of the Plaza network whose DATA_DIR is ${dataDir}\n`,
  );
  lchownSync(elsewhere, account.uid, account.gid);
  symlinkSync(elsewhere, place);
}

/** Makes {@link OPEN_HOME}, whatever the umask is. */
export function makeOpenHome(): void {
  mkdirSync(OPEN_HOME, { recursive: true });
  chmodSync(OPEN_HOME, 0o755);
  if (letsOthersIn(OPEN_HOME)) return;
  throw new LaunchError(
    `Postgres cannot run as root, and other accounts can enter neither this directory nor ${OPEN_HOME}; start as another user`,
  );
}

function isThere(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

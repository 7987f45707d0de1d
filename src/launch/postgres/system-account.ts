import { execFileSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { dirname } from 'node:path';
import { LaunchError } from '../launch-error.js';

export interface SystemAccount {
  readonly uid: number;
  readonly gid: number;
}

/**
 * Returns the account for Postgres, which refuses to run as root: the owner of `DATA_DIR`; if that is root,
 * `postgres`. No shared account such as `nobody` is used, and none is created. Undefined: root did not start this
 * process, so Postgres runs as the same user.
 * @throws {LaunchError} no such account exists.
 */
export function accountForPostgres(dataDir: string): SystemAccount | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const { uid, gid } = statSync(dataDir);
  const found = uid === 0 ? lookUp('postgres') : { uid, gid };
  if (found) return found;
  throw new LaunchError(
    'Postgres cannot run as root, and this machine has no account for it: run `useradd --system postgres`, or start as another user',
  );
}

function lookUp(name: string): SystemAccount | undefined {
  const id = (flag: string): number =>
    Number(execFileSync('id', [flag, name], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }));
  try {
    return { uid: id('-u'), gid: id('-g') };
  } catch {
    return undefined;
  }
}

export function isOpenToOthers(directory: string): boolean {
  const { mode } = statSync(directory);
  return (mode & 0o001) !== 0 && (dirname(directory) === directory || isOpenToOthers(dirname(directory)));
}

import { execFileSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { dirname } from 'node:path';
import { LaunchError } from '../launch-error.js';

/** The system account that Postgres runs under, when it is not our own. */
export interface Account {
  readonly uid: number;
  readonly gid: number;
}

/**
 * Postgres refuses to run as root. Started by root, it runs as whom `DATA_DIR` belongs to, or else as the account
 * `postgres`: never as one that others run under as well, like `nobody`, and starting a network is no reason to add one to a
 * machine. Undefined when we are not root. @throws {LaunchError} there is none.
 */
export function accountForPostgres(dataDir: string): Account | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const { uid, gid } = statSync(dataDir);
  const found = uid === 0 ? lookUp('postgres') : { uid, gid };
  if (found) return found;
  throw new LaunchError(
    'Postgres cannot run as root, and this machine has no account for it: run `useradd --system postgres`, or start as another user',
  );
}

function lookUp(name: string): Account | undefined {
  const id = (flag: string): number =>
    Number(execFileSync('id', [flag, name], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }));
  try {
    return { uid: id('-u'), gid: id('-g') };
  } catch {
    // `id` fails for an account that does not exist.
    return undefined;
  }
}

/** Whether any account may enter this directory: every directory down to it lets others through. */
export function letsOthersIn(directory: string): boolean {
  const { mode } = statSync(directory);
  return (mode & 0o001) !== 0 && (dirname(directory) === directory || letsOthersIn(dirname(directory)));
}

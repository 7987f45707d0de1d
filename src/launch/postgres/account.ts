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
 * Postgres refuses to run as root. Started by root, it runs as the account `postgres` where there is one and as
 * `nobody` elsewhere: accounts that exist already, since starting a network is no reason to add one to a machine.
 * Undefined when we are not root.
 */
export function accountForPostgres(): Account | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const found = ['postgres', 'nobody'].map(lookUp).find((account) => account !== undefined);
  if (found) return found;
  throw new LaunchError(
    'Postgres cannot run as root, and this machine has neither an account "postgres" nor "nobody"; start as another user',
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

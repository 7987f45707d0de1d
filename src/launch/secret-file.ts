import { randomBytes } from 'node:crypto';
import { existsSync, linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs';

export interface Secret {
  readonly value: string;
  readonly isNew: boolean;
}

/** A random secret that is made once and kept in a file that only its owner can read. Safe in a URL. */
export function secretFile(path: string): Secret {
  const isNew = !existsSync(path) && create(path);
  return { value: readFileSync(path, 'utf8').trim(), isNew };
}

/** Appears whole or not at all; of two processes that make it at the same time, one does. */
function create(path: string): boolean {
  const own = `${path}.${randomBytes(6).toString('hex')}`;
  writeFileSync(own, `${randomBytes(32).toString('base64url')}\n`, { mode: 0o600 });
  try {
    linkSync(own, path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  } finally {
    rmSync(own);
  }
}

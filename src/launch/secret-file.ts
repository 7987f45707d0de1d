import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';

export interface Secret {
  readonly value: string;
  readonly isNew: boolean;
}

/** A random secret that is made once and kept in a file that only its owner can read. Safe in a URL. */
export function secretFile(path: string): Secret {
  if (existsSync(path)) return { value: readFileSync(path, 'utf8').trim(), isNew: false };
  const value = randomBytes(32).toString('base64url');
  // Renamed into place, so that a start that dies here leaves no half-written secret behind.
  writeFileSync(`${path}.new`, `${value}\n`, { mode: 0o600 });
  renameSync(`${path}.new`, path);
  return { value, isNew: true };
}

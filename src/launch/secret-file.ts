import { randomBytes } from 'node:crypto';
import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { syncDirectory } from './files.js';

export function ensureSecret(path: string): string {
  return readSecret(path) ?? storeSecret(path, newSecret());
}

export function readSecret(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8').trim() || undefined;
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw error;
  }
}

export function newSecret(): string {
  return randomBytes(32).toString('base64url');
}

/**
 * Stores a secret if the file has none, and returns the stored one: of two concurrent callers, one wins. The file
 * appears atomically, even in a power cut.
 */
export function storeSecret(path: string, secret: string): string {
  const temporary = `${path}.${randomBytes(6).toString('hex')}`;
  writeFileSync(temporary, `${secret}\n`, { mode: 0o600, flush: true });
  try {
    for (;;) {
      const stored = readSecret(path);
      if (stored !== undefined) return stored;
      removeEmpty(path, `${temporary}.empty`);
      if (linkIfAbsent(temporary, path)) syncDirectory(dirname(path));
    }
  } finally {
    rmSync(temporary);
  }
}

/**
 * Removes an empty secret file. It is renamed first: if another process has stored a secret meanwhile, that file is
 * put back.
 */
function removeEmpty(path: string, renamed: string): void {
  try {
    renameSync(path, renamed);
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return;
    throw error;
  }
  if (readSecret(renamed) !== undefined) linkIfAbsent(renamed, path);
  rmSync(renamed);
}

function linkIfAbsent(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false;
    throw error;
  }
}

function hasCode(error: unknown, code: string): boolean {
  return (error as NodeJS.ErrnoException).code === code;
}

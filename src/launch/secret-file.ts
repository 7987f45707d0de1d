import { randomBytes } from 'node:crypto';
import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { syncDirectory } from './files.js';

/** A random secret that is made once and kept in a file that only its owner can read. */
export function secretFile(path: string): string {
  return readSecret(path) ?? keepSecret(path, newSecret());
}

/** Undefined when it was never made, or is lost: an empty file is no secret. */
export function readSecret(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8').trim() || undefined;
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw error;
  }
}

/** Safe in a URL. */
export function newSecret(): string {
  return randomBytes(32).toString('base64url');
}

/**
 * Keeps a secret where none is, and answers the one that is kept: of two processes that do it at the same time, one does.
 * The file appears whole or not at all, also after a power cut.
 */
export function keepSecret(path: string, secret: string): string {
  const own = `${path}.${randomBytes(6).toString('hex')}`;
  writeFileSync(own, `${secret}\n`, { mode: 0o600, flush: true });
  try {
    for (;;) {
      const kept = readSecret(path);
      if (kept !== undefined) return kept;
      removeEmpty(path, `${own}.empty`);
      if (linkUnlessThere(own, path)) syncDirectory(dirname(path));
    }
  } finally {
    rmSync(own);
  }
}

/** By way of another name, so that a secret that has just taken its place is seen and put back. */
function removeEmpty(path: string, aside: string): void {
  try {
    renameSync(path, aside);
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return;
    throw error;
  }
  if (readSecret(aside) !== undefined) linkUnlessThere(aside, path);
  rmSync(aside);
}

function linkUnlessThere(from: string, to: string): boolean {
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

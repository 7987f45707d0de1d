import { closeSync, constants, fsyncSync, openSync, renameSync, writeFileSync } from 'node:fs';

/** Syncs a directory: files created, renamed or linked in it are still there after a power cut. */
export function syncDirectory(path: string): void {
  const handle = openSync(path, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

/**
 * Replaces the content of an existing file, but follows no symbolic link. If root writes in a directory of another
 * account, that account could otherwise lead the write to any file.
 */
export function overwriteFile(path: string, content: string): void {
  const handle = openSync(path, constants.O_WRONLY | constants.O_TRUNC | constants.O_NOFOLLOW);
  try {
    writeFileSync(handle, content);
  } finally {
    closeSync(handle);
  }
}

/** Replaces a file atomically: a fault leaves the old content or the new. Only its owner may read it (0600). */
export function replaceSecretFile(file: string, content: string): void {
  writeFileSync(`${file}.new`, content, { mode: 0o600, flush: true });
  renameSync(`${file}.new`, file);
}

import { closeSync, constants, fsyncSync, openSync, writeFileSync } from 'node:fs';

/** Makes created, renamed or linked names in a directory survive a power cut. */
export function syncDirectory(path: string): void {
  const handle = openSync(path, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

/**
 * Replaces the content of an existing file, never through a symbolic link. The directory may belong to another account,
 * which must not redirect a write by root.
 */
export function overwriteFile(path: string, content: string): void {
  const handle = openSync(path, constants.O_WRONLY | constants.O_TRUNC | constants.O_NOFOLLOW);
  try {
    writeFileSync(handle, content);
  } finally {
    closeSync(handle);
  }
}

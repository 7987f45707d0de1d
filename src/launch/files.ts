import { closeSync, constants, fsyncSync, openSync, writeFileSync } from 'node:fs';

/** Makes lasting which names are in a directory: what was made, renamed or linked there survives a power cut. */
export function syncDirectory(path: string): void {
  const handle = openSync(path, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

/**
 * Replaces what is in a file that is there. Never through a symbolic link: the directory may belong to another account,
 * which must not get us, when we are root, to write where it may not.
 */
export function overwrite(path: string, content: string): void {
  const handle = openSync(path, constants.O_WRONLY | constants.O_TRUNC | constants.O_NOFOLLOW);
  try {
    writeFileSync(handle, content);
  } finally {
    closeSync(handle);
  }
}

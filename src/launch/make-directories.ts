import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Makes a directory and those above it that are not there. Throws what the file system throws. Node's own `recursive` tries
 * for ever where a directory says that it is not there when something is to be made in it, as `/proc` does.
 */
export function makeDirectories(path: string, mode?: number): void {
  if (isDirectory(path)) return;
  if (dirname(path) !== path) makeDirectories(dirname(path), mode);
  try {
    mkdirSync(path, mode);
  } catch (error) {
    // Somebody else was quicker.
    if (!isDirectory(path)) throw error;
  }
}

const isDirectory = (path: string): boolean =>
  statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;

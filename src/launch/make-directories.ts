import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Creates a directory and its missing parents. Does not use the `recursive` option of Node, which loops forever where
 * a parent reports ENOENT for a new entry, as `/proc` does.
 * @throws errors of the file system.
 */
export function makeDirectories(path: string, mode?: number): void {
  if (isDirectory(path)) return;
  if (dirname(path) !== path) makeDirectories(dirname(path), mode);
  try {
    mkdirSync(path, mode);
  } catch (error) {
    if (!isDirectory(path)) throw error;
  }
}

const isDirectory = (path: string): boolean =>
  statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;

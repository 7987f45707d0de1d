import { accessSync, constants, realpathSync } from 'node:fs';
import { DirectoryLockedError, UnusableFileError, lockDirectory } from '@plaza/event-store';
import { LaunchError } from './launch-error.js';
import { makeDirectories } from './make-directories.js';
import { isAlive } from './processes.js';
import { readRunFile } from './run-file.js';

export interface DataDir {
  /**
   * Path without symbolic links: it is the same in the command line of every process, by which orphans are
   * recognized.
   */
  readonly path: string;
  release(): void;
}

/**
 * Creates the data directory if absent, and locks it until it is released or this process ends.
 * @throws {LaunchError} another process holds the lock, or the directory is not usable.
 */
export function acquireDataDir(path: string): DataDir {
  let isNetwork: boolean;
  try {
    makeDirectories(path);
    accessSync(path, constants.W_OK);
    const real = realpathSync(path);
    const release = acquireDirectory(real);
    if (release) return { path: real, release };
    isNetwork = runsOn(real);
  } catch (error) {
    if (error instanceof UnusableFileError)
      throw new LaunchError(`DATA_DIR: the directory cannot be locked: ${error.message}`);
    const { code, message } = error as NodeJS.ErrnoException;
    throw new LaunchError(
      `DATA_DIR: ${path} cannot be used (${code ?? message}); name a directory that this account can create and write`,
    );
  }
  throw new LaunchError(
    isNetwork
      ? `DATA_DIR: a network is already running on ${path}; stop it or choose another DATA_DIR`
      : `DATA_DIR: ${path} is held by a restore, or by a network that is only starting or already ending; try again when that is over`,
  );
}

function runsOn(dataDir: string): boolean {
  const supervisor = readRunFile(dataDir)?.pids.supervisor;
  return supervisor !== undefined && isAlive(supervisor);
}

/**
 * Locks a directory, and returns the function that releases it; the end of this process does so too. Undefined:
 * another process holds the lock.
 * @throws errors of the file system.
 */
export function acquireDirectory(path: string): (() => void) | undefined {
  try {
    return lockDirectory(path);
  } catch (error) {
    if (error instanceof DirectoryLockedError) return undefined;
    throw error;
  }
}

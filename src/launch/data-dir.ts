import { accessSync, constants, realpathSync } from 'node:fs';
import { DirectoryLockedError, UnusableFileError } from '../embedded-event-store/errors.js';
import { lockDirectory } from '../embedded-event-store/storage/directory-lock.js';
import { LaunchError } from './launch-error.js';
import { makeDirectories } from './make-directories.js';
import { isAlive } from './processes.js';
import { readRun } from './run-file.js';

/** `DATA_DIR`, ours alone until it is released or this process ends, however it ends. */
export interface DataDir {
  /** Without symbolic links, so that it names the same place in every process' command line. */
  readonly path: string;
  release(): void;
}

/** Makes the directory if need be and takes it. Refuses one that another process holds. */
export function takeDataDir(path: string): DataDir {
  let isNetwork: boolean;
  try {
    makeDirectories(path);
    accessSync(path, constants.W_OK);
    const real = realpathSync(path);
    const release = takeDirectory(real);
    if (release) return { path: real, release };
    isNetwork = runsOn(real);
  } catch (error) {
    if (error instanceof UnusableFileError) throw new LaunchError(`DATA_DIR: ${error.message}`);
    const { code, message } = error as NodeJS.ErrnoException;
    throw new LaunchError(`DATA_DIR: ${path} cannot be used as a directory of our own (${code ?? message})`);
  }
  throw new LaunchError(
    isNetwork
      ? `DATA_DIR: a network is already running on ${path}; stop it or choose another DATA_DIR`
      : `DATA_DIR: ${path} is held by a restore, or by a network that is only starting or already ending; try again when that is over`,
  );
}

function runsOn(dataDir: string): boolean {
  const supervisor = readRun(dataDir)?.pids.supervisor;
  return supervisor !== undefined && isAlive(supervisor);
}

/**
 * Takes a directory for as long as this process lives, or until the result is called. Undefined: another process holds it.
 * Throws what the file system throws.
 */
export function takeDirectory(path: string): (() => void) | undefined {
  try {
    return lockDirectory(path);
  } catch (error) {
    if (error instanceof DirectoryLockedError) return undefined;
    throw error;
  }
}

import { accessSync, constants, mkdirSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { LaunchError } from './launch-error.js';

/** `DATA_DIR`, ours alone until it is released or this process ends, however it ends. */
export interface DataDir {
  /** Without symbolic links, so that it names the same place in every process' command line. */
  readonly path: string;
  release(): void;
}

/** Makes the directory if need be and takes it. Refuses one that another process holds. */
export function takeDataDir(path: string): DataDir {
  try {
    mkdirSync(path, { recursive: true });
    accessSync(path, constants.W_OK);
  } catch (error) {
    const { code = 'it failed' } = error as NodeJS.ErrnoException;
    throw new LaunchError(`DATA_DIR: ${path} cannot be used as a directory of our own (${code})`);
  }
  const real = realpathSync(path);
  const lock = lockFile(join(real, 'lock'));
  if (!lock)
    throw new LaunchError(
      `DATA_DIR: a network is already running on ${real}; stop it or choose another DATA_DIR`,
    );
  return { path: real, release: () => lock.close() };
}

/**
 * A lock that the kernel lets go of when its holder dies: nothing to clean up after a kill -9. Node cannot lock a file
 * by itself, but the SQLite inside it does, and an exclusive transaction that is never ended holds that lock.
 */
function lockFile(path: string): DatabaseSync | undefined {
  const lock = new DatabaseSync(path, { timeout: 0 });
  try {
    lock.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE');
    return lock;
  } catch (error) {
    lock.close();
    if ((error as { errcode?: number }).errcode === SQLITE_BUSY) return undefined;
    throw error;
  }
}

const SQLITE_BUSY = 5;

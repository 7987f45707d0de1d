import { accessSync, constants, mkdirSync, realpathSync } from 'node:fs';
import { DirectoryLockedError } from '../log/embedded/errors.js';
import { lockDirectory } from '../log/embedded/storage/directory-lock.js';
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
    const real = realpathSync(path);
    return { path: real, release: lockDirectory(real) };
  } catch (error) {
    if (error instanceof DirectoryLockedError)
      throw new LaunchError(
        `DATA_DIR: a network is already running on ${path}; stop it or choose another DATA_DIR`,
      );
    const { code, message } = error as NodeJS.ErrnoException;
    throw new LaunchError(`DATA_DIR: ${path} cannot be used as a directory of our own (${code ?? message})`);
  }
}

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { DirectoryLockedError, UnusableFileError } from '../errors.js';
import { OWNER_ONLY } from './directory.js';

const SQLITE_BUSY = 5;
/**
 * SQLite's result codes for an unusable lock file, by their lowest byte: read-only, cannot open, not a database
 * (sqlite.org/rescode.html).
 */
const UNUSABLE = new Set([8, 14, 26]);

/**
 * Locks a directory for one writer and returns the function that unlocks it.
 *
 * The lock is a lock of the kernel on the file `lock`. The kernel releases it however its holder ends, so no lock is
 * ever stale. Node offers such locks only through SQLite, as exclusive transactions; the database stays empty. POSIX
 * also releases the lock when its holder closes any other handle of the file, so nothing else in this process may
 * open the file.
 * @throws {DirectoryLockedError} another process holds the lock
 * @throws {UnusableFileError} the file cannot be used as a lock
 */
export function lockDirectory(dir: string): () => void {
  const path = join(dir, 'lock');
  createForOwner(path);
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(path, { timeout: 0 });
    database.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE');
  } catch (cause) {
    database?.close();
    const { errcode = 0 } = cause as { errcode?: number };
    if (errcode === SQLITE_BUSY) throw new DirectoryLockedError(dir);
    if (!UNUSABLE.has(errcode & 0xff)) throw cause;
    throw new UnusableFileError(
      `${path} cannot be used as a lock (${(cause as Error).message}): it may belong to another user or be another file; ` +
        'remove it if no event store uses its directory',
      { cause },
    );
  }
  const locked = database;
  return () => locked.close();
}

/**
 * Creates the lock file, readable for its owner only, as SQLite would not. Never opens an existing file, since
 * closing it would release the lock.
 */
function createForOwner(path: string): void {
  try {
    writeFileSync(path, '', { flag: 'wx', mode: OWNER_ONLY });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

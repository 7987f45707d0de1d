import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { DirectoryLockedError, UnusableFileError } from '../errors.js';
import { OWNER_ONLY } from './directory.js';

const SQLITE_BUSY = 5;
/** The lowest byte of a result code: read-only, cannot be opened, not a database (sqlite.org/rescode.html). */
const UNUSABLE = new Set([8, 14, 26]);

/**
 * Takes the one writer's lock on a directory; call the result to give it back. Throws DirectoryLockedError and UnusableFileError.
 *
 * The lock is the operating system's own lock on the file `lock`, which the kernel drops when the holder ends, however it
 * ends: nothing goes stale, no process id can be mistaken, and of two that start at the same moment one gets it. Node
 * offers such locks only through SQLite, whose exclusive transaction is one; the database stays empty. POSIX drops the lock
 * also when its holder opens and closes the file by other means, so nothing else in this process may touch it.
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
      `${path} cannot be used as a lock (${(cause as Error).message}): it may belong to another user, or be no lock; ` +
        'remove it if nothing runs on its directory',
      { cause },
    );
  }
  const held = database;
  return () => held.close();
}

/** SQLite would let others read the file. One that is there is not opened, which would drop its lock. */
function createForOwner(path: string): void {
  try {
    writeFileSync(path, '', { flag: 'wx', mode: OWNER_ONLY });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

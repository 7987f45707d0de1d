import { randomBytes } from 'node:crypto';
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { Failure } from '../../operator/cli/failure.js';
import { OWNER_ONLY } from '../data-set/write-file.js';
import { openViews } from './open-views.js';

const RANDOM_BYTES = 6;

/** Writes the rows of one SELECT to a file for its owner alone, whole or not at all. @throws {Failure} */
export async function writeParquet(dir: string, sql: string, file: string, memory?: number): Promise<void> {
  const unique = randomBytes(RANDOM_BYTES).toString('hex');
  const temporary = join(dirname(file), `.${basename(file)}.${unique}.tmp`);
  try {
    // DuckDB would create it for everybody to read.
    writeFileSync(temporary, '', { flag: 'wx', mode: OWNER_ONLY.file });
    const views = await openViews(dir, { writable: temporary, memory });
    await views.writeParquet(sql, temporary).finally(() => views.close());
    renameSync(temporary, file);
  } catch (error) {
    rmSync(temporary, { force: true });
    const { code } = error as NodeJS.ErrnoException;
    if (error instanceof Failure || code === undefined) throw error;
    throw new Failure(`${file} cannot be written (${code}): name a file in a directory of this account`, {
      cause: error,
    });
  }
}

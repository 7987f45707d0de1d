import { randomBytes } from 'node:crypto';
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { Failure } from '../../base/terminal/failure.js';
import { isAccessRefused, isDiskFull } from '../data-set/disk-errors.js';
import { paths } from '../data-set/paths.js';
import { OWNER_ONLY } from '../data-set/write-file.js';

const RANDOM_BYTES = 6;

/** @throws {Failure} the file would be among those of the data set, where a reader of all of them takes it for one. */
export function requireOutside(dir: string, file: string): void {
  if ([paths.events(dir), paths.people(dir), paths.commits(dir)].some((own) => file.startsWith(`${own}/`)))
    throw new Failure(`${file} would be among the files of the data set: name another place`);
}

/**
 * Has a file written for its owner alone, whole or not at all, in place of an older one. `write`: fills the empty file that it
 * is told.
 * @throws {Failure} its place is none. Errors of a full disk, or of one that this account cannot write.
 */
export async function replaceFile(
  dir: string,
  file: string,
  write: (temporary: string) => void | Promise<void>,
): Promise<void> {
  requireOutside(dir, file);
  const unique = randomBytes(RANDOM_BYTES).toString('hex');
  const temporary = join(dirname(file), `.${basename(file)}.${unique}.tmp`);
  try {
    writeFileSync(temporary, '', { flag: 'wx', mode: OWNER_ONLY.file });
    await write(temporary);
    renameSync(temporary, file);
  } catch (error) {
    rmSync(temporary, { force: true });
    const { code } = error as NodeJS.ErrnoException;
    const isPlace = code !== undefined && !isDiskFull(error) && !isAccessRefused(error);
    if (error instanceof Failure || !isPlace) throw error;
    throw new Failure(`${file} cannot be written (${code}): name a file in a directory of this account`, {
      cause: error,
    });
  }
}

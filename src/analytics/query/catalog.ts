import { existsSync, rmSync } from 'node:fs';
import { Failure } from '../../base/terminal/failure.js';
import { requireState } from '../data-set/commits.js';
import { OWNER_ONLY } from '../data-set/write-file.js';
import { loadDuckDb } from './duckdb.js';
import { requireOutside } from './replace-file.js';
import { viewStatements } from './views-file.js';

const MODES = 0o777;

/**
 * Makes the views of the newest commit in a database of DuckDB, which is created if there is none; what else it holds stays.
 * Returns the number of the commit.
 * @throws {Failure} the directory is no data set, or the file no database that can be written now.
 */
export async function writeCatalog(dir: string, file: string): Promise<number> {
  const { DuckDBInstance } = await loadDuckDb();
  const state = requireState(dir);
  requireOutside(dir, file);
  const isNew = !existsSync(file);
  // DuckDB would create it for everybody to read.
  const mask = process.umask(~OWNER_ONLY.file & MODES);
  try {
    const instance = await DuckDBInstance.create(file);
    const duck = await instance.connect();
    try {
      await duck.run('BEGIN');
      for (const statement of viewStatements(dir, state)) await duck.run(statement);
      await duck.run('COMMIT');
    } finally {
      duck.closeSync();
      instance.closeSync();
    }
  } catch (cause) {
    if (isNew) for (const path of [file, `${file}.wal`]) rmSync(path, { force: true });
    const reason = cause instanceof Error ? cause.message.split('\n')[0] : String(cause);
    throw new Failure(`${file} cannot be written: ${reason}`, { cause });
  } finally {
    process.umask(mask);
  }
  return state.number;
}

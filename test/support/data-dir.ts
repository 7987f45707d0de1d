import { chmodSync, existsSync, mkdtempSync, realpathSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

const MEMORY = '/dev/shm';
const ENOUGH_BYTES = 4 * 2 ** 30;

/**
 * In memory if there is enough: tests kill processes, never the machine, so a disk would show nothing more, and the
 * thousand files of a Postgres take seconds there. `TMPDIR` overrides this. Inside the directory of the test run
 * (run.setup.mjs) if possible, so that the directories of killed specs are removed with it.
 */
function parentDir(): string {
  const where = hasPlentyOfMemory() ? MEMORY : tmpdir();
  const run = process.env['PLAZA_TEST_RUN'];
  return run !== undefined && dirname(run) === where ? run : where;
}

function hasPlentyOfMemory(): boolean {
  if (process.env['TMPDIR'] !== undefined || !existsSync(MEMORY)) return false;
  const { bavail, bsize } = statfsSync(MEMORY);
  return bavail * bsize >= ENOUGH_BYTES;
}

/** An empty `DATA_DIR`. By default it is open to Postgres' account, like one made by hand. */
export function newDataDir(mode = 0o755): string {
  const dataDir = mkdtempSync(join(parentDir(), 'plaza-'));
  chmodSync(dataDir, mode);
  return dataDir;
}

/** Removes it with Postgres' data, which may be elsewhere. */
export function removeDataDir(dataDir: string): void {
  const postgres = join(dataDir, 'postgres');
  if (existsSync(postgres)) rmSync(realpathSync(postgres), { recursive: true });
  rmSync(dataDir, { recursive: true });
}

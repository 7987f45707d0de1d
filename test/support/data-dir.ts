import { chmodSync, existsSync, mkdtempSync, realpathSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

const MEMORY = '/dev/shm';
const ENOUGH_BYTES = 4 * 2 ** 30;

/**
 * In memory where there is plenty: tests end processes, and never the machine, so a disk would show nothing more; and to
 * write and remove the thousand files of a Postgres there takes seconds. `TMPDIR` puts them elsewhere. Within the directory
 * of a run of tests (run.setup.mjs) if that is there, too: with it goes what a spec leaves that was ended by force.
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

/** An empty `DATA_DIR` for a test. By default others may enter it, as if it were made by hand: Postgres' account has to. */
export function newDataDir(mode = 0o755): string {
  const dataDir = mkdtempSync(join(parentDir(), 'plaza-'));
  chmodSync(dataDir, mode);
  return dataDir;
}

/** Removes it with everything embedded, wherever Postgres keeps its data. */
export function removeDataDir(dataDir: string): void {
  const postgres = join(dataDir, 'postgres');
  if (existsSync(postgres)) rmSync(realpathSync(postgres), { recursive: true });
  rmSync(dataDir, { recursive: true });
}

import { chmodSync, existsSync, mkdtempSync, realpathSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const MEMORY = '/dev/shm';
const ENOUGH_BYTES = 4 * 2 ** 30;

/**
 * In memory where there is plenty: tests end processes, and never the machine, so a disk would show nothing more; and to
 * write and remove the thousand files of a Postgres there takes seconds. `TMPDIR` puts them elsewhere.
 */
function place(): string {
  if (process.env['TMPDIR'] !== undefined || !existsSync(MEMORY)) return tmpdir();
  const { bavail, bsize } = statfsSync(MEMORY);
  return bavail * bsize < ENOUGH_BYTES ? tmpdir() : MEMORY;
}

/** An empty `DATA_DIR` for a test. By default others may enter it, as if it were made by hand: Postgres' account has to. */
export function newDataDir(mode = 0o755): string {
  const dataDir = mkdtempSync(join(place(), 'plaza-'));
  chmodSync(dataDir, mode);
  return dataDir;
}

/** Removes it with everything embedded, wherever Postgres keeps its data. */
export function removeDataDir(dataDir: string): void {
  const postgres = join(dataDir, 'postgres');
  if (existsSync(postgres)) rmSync(realpathSync(postgres), { recursive: true });
  rmSync(dataDir, { recursive: true });
}

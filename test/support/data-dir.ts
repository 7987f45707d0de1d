import { chmodSync, existsSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** An empty `DATA_DIR` for a test. By default others may enter it, as if it were made by hand: Postgres' account has to. */
export function newDataDir(mode = 0o755): string {
  const dataDir = mkdtempSync(join(tmpdir(), 'plaza-'));
  chmodSync(dataDir, mode);
  return dataDir;
}

/** Removes it with everything embedded, wherever Postgres keeps its data. */
export function removeDataDir(dataDir: string): void {
  const postgres = join(dataDir, 'postgres');
  if (existsSync(postgres)) rmSync(realpathSync(postgres), { recursive: true });
  rmSync(dataDir, { recursive: true });
}

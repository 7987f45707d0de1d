import { mkdirSync, mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { totalmem } from 'node:os';
import { join } from 'node:path';
import { isAccessRefused, isDiskFull } from '../data-set/disk-errors.js';
import { paths } from '../data-set/paths.js';
import { lockOf, removeStaleSpills } from '../data-set/sweep.js';
import { OWNER_ONLY } from '../data-set/write-file.js';
import { quoted } from './sql.js';

/** Part of the memory of the machine or container, and of the free space of the disk. */
const SHARE = 0.5;

export interface Spill {
  /** DuckDB's settings: memory, and the directory with its bound; without a writable one a query fails instead. */
  readonly settings: readonly string[];
  remove(): void;
}

/** `memory`: bytes; undefined: a share of the machine's. Removes what killed queries left. */
export function openSpill(dir: string, memory: number | undefined): Spill {
  const machine = Math.min(totalmem(), process.constrainedMemory() || Infinity);
  const limit = `SET memory_limit = '${Math.floor(memory ?? machine * SHARE)}B'`;
  const spill = makeSpill(dir);
  if (!spill) return { settings: [limit, "SET temp_directory = ''"], remove: () => undefined };
  const { bavail, bsize } = statfsSync(spill.path);
  return {
    settings: [
      limit,
      `SET temp_directory = ${quoted(spill.path)}`,
      `SET max_temp_directory_size = '${Math.floor(bavail * bsize * SHARE)}B'`,
    ],
    remove: () => {
      rmSync(spill.path, { recursive: true, force: true });
      spill.release();
    },
  };
}

function makeSpill(
  dir: string,
  attempts = 5,
): { readonly path: string; readonly release: () => void } | undefined {
  try {
    const root = paths.spill(dir);
    mkdirSync(root, { recursive: true, mode: OWNER_ONLY.directory });
    removeStaleSpills(dir);
    const path = mkdtempSync(join(root, 'query-'));
    const release = lockOf(path);
    // Another query took it for one that was left, in the moment before the lock.
    if (release) return { path, release };
    return attempts > 1 ? makeSpill(dir, attempts - 1) : undefined;
  } catch (error) {
    if (isAccessRefused(error) || isDiskFull(error)) return undefined;
    throw error;
  }
}

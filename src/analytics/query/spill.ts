import { mkdirSync, mkdtempSync, readdirSync, rmSync, statfsSync } from 'node:fs';
import { totalmem } from 'node:os';
import { join } from 'node:path';
import { acquireDirectory } from '../../launch/data-dir.js';
import { isAccessRefused, isDiskFull } from '../data-set/disk-errors.js';
import { paths } from '../data-set/paths.js';
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
  const spill = makeSpill(paths.spill(dir));
  if (!spill) return { settings: [limit, "SET temp_directory = ''"], remove: () => undefined };
  const { bavail, bsize } = statfsSync(spill.path);
  return {
    settings: [
      limit,
      `SET temp_directory = ${quoted(spill.path)}`,
      `SET max_temp_directory_size = '${Math.floor(bavail * bsize * SHARE)}B'`,
    ],
    remove: () => {
      spill.release();
      rmSync(spill.path, { recursive: true, force: true });
    },
  };
}

function makeSpill(root: string): { readonly path: string; readonly release: () => void } | undefined {
  try {
    mkdirSync(root, { recursive: true, mode: OWNER_ONLY.directory });
    removeStale(root);
    const path = mkdtempSync(join(root, 'query-'));
    const release = acquireDirectory(path);
    return release && { path, release };
  } catch (error) {
    if (isAccessRefused(error) || isDiskFull(error)) return undefined;
    throw error;
  }
}

function removeStale(root: string): void {
  for (const name of readdirSync(root)) {
    const release = acquireDirectory(join(root, name));
    if (!release) continue;
    release();
    rmSync(join(root, name), { recursive: true, force: true });
  }
}

import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { until } from './until.js';
import { canHaveSmallDisk, makeSmallDisk } from './small-disk.js';

/** A file system whose device fails on demand like broken media: writes succeed, fsync fails with EIO. */
export interface FailingDisk {
  readonly dir: string;
  /** From now on the device refuses new blocks. */
  fail(): void;
  heal(): void;
  /**
   * Unmounts the file system, which loses what only the page cache has, heals the device and mounts it again. No process
   * may use it meanwhile.
   */
  replug(): Promise<void>;
  remove(): void;
}

/** Memory that the disk file leaves free. */
const SPARE_MEGABYTES = 4;
const BLOCK_BYTES = 4_096;
const MKFS = ['-q', '-b', String(BLOCK_BYTES), '-J', 'size=4'];
/** Allocates tables and journal at once, so that they can always be written. */
const WRITTEN_AT_ONCE = ['-E', 'nodiscard,lazy_itable_init=0,lazy_journal_init=0'];
const MAX_UNMOUNT_MS = 60_000;

const run = (program: string, ...args: string[]): string =>
  execFileSync(program, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).trim();

/** Needs root, loop devices and ext4. */
export const canHaveFailingDisk = ((): boolean => {
  if (!canHaveSmallDisk) return false;
  try {
    makeFailingDisk().remove();
    return true;
  } catch {
    return false;
  }
})();

/**
 * ext4 on a loop device over a sparse file in a small memory file system: once that is full, the device has no space for
 * new blocks. `dir`: an empty directory to mount on.
 */
export function makeFailingDisk(
  megabytes = 12,
  dir = mkdtempSync(join(tmpdir(), 'plaza-failing-disk-')),
): FailingDisk {
  const memory = makeSmallDisk(megabytes + SPARE_MEGABYTES);
  const file = join(memory.dir, 'disk');
  run('truncate', '--size', `${megabytes}M`, file);
  const device = run('losetup', '--find', '--show', file);
  let isFailing = false;
  const mount = () => run('mount', '-t', 'ext4', '-o', 'errors=remount-ro', device, dir);
  try {
    // One block at a time: the loop device reports a longer write as complete even if only its beginning had space.
    writeFileSync(`/sys/block/${basename(device)}/queue/max_sectors_kb`, String(BLOCK_BYTES / 1_024));
    run('mkfs.ext4', ...MKFS, ...WRITTEN_AT_ONCE, device);
    mount();
    run('chmod', '755', dir);
  } catch (error) {
    run('losetup', '--detach', device);
    memory.remove();
    rmSync(dir, { recursive: true });
    throw error;
  }
  const heal = () => {
    if (isFailing) memory.empty();
    isFailing = false;
  };
  return {
    dir,
    fail() {
      isFailing = true;
      memory.fill();
    },
    heal,
    async replug() {
      // Postgres' child processes end moments after their server.
      await until(() => {
        try {
          run('umount', dir);
          return true;
        } catch {
          return false;
        }
      }, MAX_UNMOUNT_MS);
      heal();
      mount();
    },
    remove() {
      heal();
      run('umount', '--lazy', dir);
      run('losetup', '--detach', device);
      rmSync(dir, { recursive: true });
      memory.remove();
    },
  };
}

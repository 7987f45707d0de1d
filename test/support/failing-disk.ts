import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { until } from './until.js';
import { canHaveSmallDisk, makeSmallDisk } from './small-disk.js';

/** A file system whose device fails on demand, as broken media do: writes are taken, and fsync says EIO. */
export interface FailingDisk {
  readonly dir: string;
  /** From now on the device takes nothing that has no place on it yet. */
  fail(): void;
  heal(): void;
  /**
   * Takes the file system off the device, which loses what only the page cache knows, heals the device and mounts it
   * again. Nothing may use it meanwhile.
   */
  replug(): Promise<void>;
  remove(): void;
}

/** What the file that is the disk may leave free of the memory that it is in. */
const SPARE_MEGABYTES = 4;
const BLOCK_BYTES = 4_096;
const MKFS = ['-q', '-b', String(BLOCK_BYTES), '-J', 'size=4'];
/** Its own tables and journal get their places at once, and can be written ever after. */
const WRITTEN_AT_ONCE = ['-E', 'nodiscard,lazy_itable_init=0,lazy_journal_init=0'];
const MAX_UNMOUNT_MS = 60_000;

const run = (program: string, ...args: string[]): string =>
  execFileSync(program, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).trim();

/** Whether this machine lets us have one: root, loop devices, ext4. */
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
 * ext4 on a loop device over a sparse file in a small memory: once that is full, the device has no room for new blocks.
 * `dir`: an empty directory, on which it is mounted.
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
    // A block at a time: of a longer write that finds room for its beginning alone, the loop device says that it is whole.
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
      // Postgres' processes notice the end of their server within moments.
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

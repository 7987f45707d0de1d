import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { until } from '../../test/support/until.js';
import { canHaveSmallDisk, makeSmallDisk } from '../../test/support/small-disk.js';

/** What the file that is the disk may leave free of the memory that it is in. */
const SPARE_MEGABYTES = 4;
const BLOCK_BYTES = 4_096;
const LONGEST_UNMOUNT_MS = 60_000;

/** A file system whose device fails: writes are taken, and fsync says EIO. */
export interface FailingDisk {
  /** From now on the device takes nothing that has no place on it yet. */
  fail(): void;
  /**
   * Takes the file system off the device, which loses what the device has not taken, then mends the device and mounts it
   * again. Nothing may use it meanwhile.
   */
  replug(): Promise<void>;
  remove(): void;
}

const run = (program: string, ...args: string[]): string =>
  execFileSync(program, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).trim();

/** Whether this machine lets us have one: root, loop devices, ext4. */
export const canHaveFailingDisk = ((): boolean => {
  if (!canHaveSmallDisk) return false;
  const dir = mkdtempSync(join(tmpdir(), 'plaza-probe-'));
  try {
    makeFailingDisk(dir, 8).remove();
    return true;
  } catch {
    return false;
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
})();

/**
 * ext4 on a loop device over a sparse file in a small memory: once that is full, the device has no room for new blocks.
 * `dir`: an empty directory.
 */
export function makeFailingDisk(dir: string, megabytes: number): FailingDisk {
  const memory = makeSmallDisk(megabytes + SPARE_MEGABYTES);
  const file = join(memory.dir, 'disk');
  run('truncate', '--size', `${megabytes}M`, file);
  const device = run('losetup', '--find', '--show', file);
  let isFailing = false;
  const mount = () => run('mount', '-t', 'ext4', '-o', 'errors=remount-ro', device, dir);
  try {
    // A block at a time: of a longer write that finds room for its beginning alone, the loop device says that it is whole.
    writeFileSync(`/sys/block/${basename(device)}/queue/max_sectors_kb`, String(BLOCK_BYTES / 1_024));
    run(
      'mkfs.ext4',
      '-b',
      String(BLOCK_BYTES),
      '-q',
      '-E',
      'nodiscard,lazy_itable_init=0,lazy_journal_init=0',
      device,
    );
    mount();
    run('chmod', '755', dir);
  } catch (error) {
    run('losetup', '--detach', device);
    memory.remove();
    throw error;
  }
  const mend = () => {
    if (isFailing) memory.empty();
    isFailing = false;
  };
  return {
    fail() {
      isFailing = true;
      memory.fill();
    },
    async replug() {
      // Postgres' processes notice the end of their server within moments.
      await until(() => {
        try {
          run('umount', dir);
          return true;
        } catch {
          return false;
        }
      }, LONGEST_UNMOUNT_MS);
      mend();
      mount();
    },
    remove() {
      mend();
      run('umount', '--lazy', dir);
      run('losetup', '--detach', device);
      memory.remove();
    },
  };
}

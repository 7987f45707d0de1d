import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { canHaveSmallDisk, makeSmallDisk } from './small-disk.js';

/**
 * An ext4 file system whose device fails on demand with EIO, as broken media do. It lies in a file on a tmpfs: where that
 * is full, the device cannot write a block that it has never written.
 */
export interface FailingDisk {
  readonly dir: string;
  /** New blocks cannot be written from now on. */
  fail(): void;
  heal(): void;
  /** Forgets what only the page cache knows, as a power failure does. Nothing may be open there. */
  dropCache(): void;
  remove(): void;
}

const IMAGE_LENGTH = 12 * 1024 * 1024;

/** Whether this machine lets us have one: it takes root, mkfs.ext4, fstrim and a loop device. */
export const canHaveFailingDisk = ((): boolean => {
  if (!canHaveSmallDisk) return false;
  try {
    makeFailingDisk().remove();
    return true;
  } catch {
    return false;
  }
})();

export function makeFailingDisk(): FailingDisk {
  const under = makeSmallDisk(16);
  const dir = mkdtempSync(join(tmpdir(), 'plaza-failing-disk-'));
  const image = join(under.dir, 'image');
  const mount = (): void => {
    execFileSync('mount', ['-o', 'loop', image, dir], { stdio: 'pipe' });
    // A loop device takes a write for done that found room for its first page: so each has one.
    const device = execFileSync('losetup', ['--noheadings', '--output', 'NAME', '--associated', image]);
    const name = device.toString().trim().replace('/dev/', '');
    writeFileSync(`/sys/block/${name}/queue/max_sectors_kb`, '4');
  };
  try {
    writeFileSync(image, Buffer.alloc(IMAGE_LENGTH));
    execFileSync('mkfs.ext4', ['-q', '-E', 'nodiscard', '-J', 'size=4', '-b', '4096', image], {
      stdio: 'pipe',
    });
    // The whole image gets room, then its free blocks lose theirs: only what is new on it can fail, not its journal.
    writeFileSync(image, readFileSync(image));
    mount();
    execFileSync('fstrim', [dir], { stdio: 'pipe' });
  } catch (error) {
    under.remove();
    rmSync(dir, { recursive: true });
    throw error;
  }
  return {
    dir,
    fail: () => under.fill(),
    heal: () => under.empty(),
    dropCache() {
      execFileSync('umount', [dir]);
      mount();
    },
    remove() {
      execFileSync('umount', ['--lazy', dir]);
      rmSync(dir, { recursive: true });
      under.remove();
    },
  };
}

import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A file system of a few megabytes. */
export interface SmallDisk {
  readonly dir: string;
  /** Leaves no space. */
  fill(): void;
  empty(): void;
  /** Makes it read-only. */
  freeze(): void;
  remove(): void;
}

/** Needs root and the right to mount. */
export const canHaveSmallDisk = ((): boolean => {
  if (process.getuid?.() !== 0) return false;
  try {
    execFileSync('unshare', ['--mount', 'mount', '-t', 'tmpfs', 'none', '/mnt'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
})();

/** `dir`: an empty directory to mount on. */
export function makeSmallDisk(megabytes = 4, dir = mkdtempSync(join(tmpdir(), 'plaza-disk-'))): SmallDisk {
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'none', dir]);
  const filler = join(dir, 'filler');
  return {
    dir,
    fill() {
      for (let room = 64 * 1024; room > 0;)
        try {
          writeFileSync(filler, Buffer.alloc(room), { flag: 'a' });
        } catch (error) {
          if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
          room = Math.floor(room / 2);
        }
    },
    empty: () => rmSync(filler),
    freeze: () => void execFileSync('mount', ['-o', 'remount,ro', dir]),
    remove() {
      execFileSync('umount', ['--lazy', dir]);
      rmSync(dir, { recursive: true });
    },
  };
}

import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

/** Whether a process with this id exists, whoever it belongs to. A zombie that nobody has reaped is gone. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
  return !isZombie(pid);
}

function isZombie(pid: number): boolean {
  const stat = readProc(pid, 'stat');
  return stat !== undefined && stat.slice(stat.lastIndexOf(')') + 2).startsWith('Z');
}

/**
 * The command line of a process, by which a process of ours is told from a stranger that was given the same id
 * after a reboot. Undefined when there is no such process.
 */
export function commandOf(pid: number): string | undefined {
  if (existsSync('/proc/self/cmdline')) return readProc(pid, 'cmdline')?.replaceAll('\0', ' ').trimEnd();
  if (!isAlive(pid)) return undefined;
  return execFileSync('ps', ['-o', 'command=', '-p', String(pid)], { encoding: 'utf8' }).trim();
}

function readProc(pid: number, file: string): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch (error) {
    // ESRCH: the process went between open and read.
    if (['ENOENT', 'ESRCH'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined;
    throw error;
  }
}

/** Waits until a process that is not our child has gone. False when it is still there after `limitMs`. */
export async function hasGone(pid: number, limitMs: number): Promise<boolean> {
  const deadline = performance.now() + limitMs;
  while (isAlive(pid)) {
    if (performance.now() > deadline) return false;
    await delay(20);
  }
  return true;
}

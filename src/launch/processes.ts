import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

/**
 * Whether a process with this id exists, whoever it belongs to. A zombie that nobody has reaped is gone, once its last thread
 * has ended: until then its ports and files are in use.
 */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
  return !isZombie(pid);
}

function isZombie(pid: number): boolean {
  const status = statusOf(pid);
  return status?.state === 'Z' && status.threads <= 1;
}

/** Linux' `PF_EXITING`, among the flags of a thread. */
const EXITING = 0x4;

/**
 * Whether a process was ended and is not gone yet: its ports and files are in use, and nothing tells any more what its arguments
 * were. False where there is no /proc.
 */
export function isEnding(pid: number): boolean {
  return isAlive(pid) && ((statusOf(pid)?.flags ?? 0) & EXITING) !== 0;
}

interface Status {
  readonly state: string;
  readonly parent: number;
  readonly flags: number;
  readonly threads: number;
}

/** Of its first thread, with the number of all. Where there is a /proc. */
function statusOf(pid: number): Status | undefined {
  // The fields after the command's name, which may have spaces and parentheses of its own: proc_pid_stat(5), from field 3 on.
  const [, fields] = /^.*\) (.*)$/s.exec(readProc(pid, 'stat') ?? '') ?? [];
  if (fields === undefined) return undefined;
  const values = fields.split(' ');
  const [state = '', parent] = values;
  return { state, parent: Number(parent), flags: Number(values[6]), threads: Number(values[17]) };
}

/** The processes that a process has started and that are still there: what a test kills, and a measurement counts. Linux only. */
export function childrenOf(parent: number): number[] {
  const pids = readdirSync('/proc').filter((name) => /^[0-9]+$/.test(name));
  return pids.map(Number).filter((pid) => statusOf(pid)?.parent === parent);
}

/**
 * Whether these stand, whole and in this order, among the arguments of a process: what tells a process of ours from a
 * stranger that was given the same id after a reboot. Undefined when there is no such process.
 */
export function hasArguments(pid: number, ...wanted: readonly string[]): boolean | undefined {
  if (existsSync('/proc/self/cmdline')) {
    const command = readProc(pid, 'cmdline');
    return command === undefined ? undefined : `\0${command}`.includes(`\0${wanted.join('\0')}\0`);
  }
  if (!isAlive(pid)) return undefined;
  const command = execFileSync('ps', ['-ww', '-o', 'command=', '-p', String(pid)], { encoding: 'utf8' });
  return ` ${command.trim()} `.includes(` ${wanted.join(' ')} `);
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

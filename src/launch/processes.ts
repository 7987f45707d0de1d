import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { sleep } from '../base/support/sleep.js';

/**
 * True if a process with this id exists, of any owner. A zombie whose last thread has ended counts as gone; before
 * that, its ports and files are in use.
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

const PF_EXITING = 0x4;

/**
 * True if a process is exiting: its ports and files are still in use, but its arguments can no longer be read. Always
 * false without /proc.
 */
export function isExiting(pid: number): boolean {
  return isAlive(pid) && ((statusOf(pid)?.flags ?? 0) & PF_EXITING) !== 0;
}

interface Status {
  readonly state: string;
  readonly parent: number;
  readonly flags: number;
  readonly threads: number;
}

function statusOf(pid: number): Status | undefined {
  // Field 3 and following of proc_pid_stat(5): the name before them may hold spaces and parentheses.
  const [, fields] = /^.*\) (.*)$/s.exec(readProc(pid, 'stat') ?? '') ?? [];
  if (fields === undefined) return undefined;
  const values = fields.split(' ');
  const [state = '', parent] = values;
  return { state, parent: Number(parent), flags: Number(values[6]), threads: Number(values[17]) };
}

export function childProcessIds(parent: number): number[] {
  const pids = readdirSync('/proc').filter((name) => /^[0-9]+$/.test(name));
  return pids.map(Number).filter((pid) => statusOf(pid)?.parent === parent);
}

/**
 * True if the arguments of a process contain `expected`, in this order and without gaps: it is then a process of
 * Plaza, and not another one that got the same id after a reboot. Undefined: no such process.
 */
export function hasArguments(pid: number, ...expected: readonly string[]): boolean | undefined {
  if (existsSync('/proc/self/cmdline')) {
    const command = readProc(pid, 'cmdline');
    return command === undefined ? undefined : `\0${command}`.includes(`\0${expected.join('\0')}\0`);
  }
  if (!isAlive(pid)) return undefined;
  const command = execFileSync('ps', ['-ww', '-o', 'command=', '-p', String(pid)], { encoding: 'utf8' });
  return ` ${command.trim()} `.includes(` ${expected.join(' ')} `);
}

function readProc(pid: number, file: string): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch (error) {
    if (['ENOENT', 'ESRCH'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined;
    throw error;
  }
}

export async function waitUntilGone(pid: number, limitMs: number): Promise<boolean> {
  const deadline = performance.now() + limitMs;
  while (isAlive(pid)) {
    if (performance.now() > deadline) return false;
    await sleep(20);
  }
  return true;
}

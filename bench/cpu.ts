import { childProcessIds } from '../src/launch/processes.js';
import { processFile } from './network.js';
import type { BenchNetwork } from './network.js';

/**
 * CPU time of a process and of its ended children: proc(5), `utime` to `cstime`, in ticks of 10 ms on Linux. Undefined:
 * it has ended.
 */
function cpuOf(pid: number): { readonly ms: number; readonly endedChildrenMs: number } | undefined {
  const stat = processFile(pid, 'stat');
  if (stat === undefined) return undefined;
  // the second field, the program's name in brackets, may itself contain brackets
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [user = 0, system = 0, endedUser = 0, endedSystem = 0] = fields.slice(11, 15).map(Number);
  return { ms: (user + system) * 10, endedChildrenMs: (endedUser + endedSystem) * 10 };
}

function cpuOfRunning(pid: number) {
  const cpu = cpuOf(pid);
  if (!cpu) throw new Error(`process ${pid} has ended`);
  return cpu;
}

export const cpuMsOf = (pid: number): number => cpuOfRunning(pid).ms;

const PROCESSES = ['api', 'worker', 'eventStore', 'postgres'] as const;
export type CpuMs = Readonly<Record<(typeof PROCESSES)[number], number>>;

/** CPU time of each process of the network so far, in milliseconds; Postgres with all its children, ended ones included. */
export function networkCpuMs({ run: { pids } }: BenchNetwork): CpuMs {
  const { ms, endedChildrenMs } = cpuOfRunning(pids.postgres ?? 0);
  const sessions = childProcessIds(pids.postgres ?? 0).map((pid) => cpuOf(pid)?.ms ?? 0);
  return {
    api: cpuMsOf(pids.api ?? 0),
    worker: cpuMsOf(pids.worker ?? 0),
    eventStore: cpuMsOf(pids.eventStore ?? 0),
    postgres: sessions.reduce((sum, each) => sum + each, ms + endedChildrenMs),
  };
}

/** CPU of `amount` requests for one of them, of all processes and of each. */
export function cpuOfEach(
  before: CpuMs,
  after: CpuMs,
  amount: number,
): { readonly cpuMs: number; readonly cpuMsOf: CpuMs } {
  const each = (ms: number) => Math.round((ms / amount) * 1_000) / 1_000;
  const spent = PROCESSES.map((name) => [name, after[name] - before[name]] as const);
  return {
    cpuMs: each(spent.reduce((sum, [, ms]) => sum + ms, 0)),
    cpuMsOf: Object.fromEntries(spent.map(([name, ms]) => [name, each(ms)])) as CpuMs,
  };
}

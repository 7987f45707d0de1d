import { readdirSync, readFileSync } from 'node:fs';
import type { BenchNetwork } from '../network.js';

export const PROCESSES = ['api', 'worker', 'eventStore', 'postgres'] as const;
export type CpuMs = Readonly<Record<(typeof PROCESSES)[number], number>>;

const TICK_MS = 10;

/** CPU time of each process of the network so far, in milliseconds; Postgres with all its children, ended ones included. */
export function cpuMsOf({ run: { pids } }: BenchNetwork): CpuMs {
  const tree = readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? (timesOf(name) ?? []) : []));
  const of = (pid: number | undefined) => {
    const own = tree.find((each) => each.pid === pid);
    if (!own) throw new Error('a process of the network has ended');
    return own;
  };
  const postgres = of(pids.postgres);
  const children = tree.filter(({ parent }) => parent === postgres.pid);
  return {
    api: of(pids.api).ms,
    worker: of(pids.worker).ms,
    eventStore: of(pids.eventStore).ms,
    postgres: children.reduce((sum, { ms }) => sum + ms, postgres.ms + postgres.endedChildrenMs),
  };
}

/** proc(5), `stat`: the fields after the program's name in brackets, which may have brackets itself. */
function timesOf(pid: string) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat
      .slice(stat.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number);
    const [, parent = 0, user = 0, system = 0, endedUser = 0, endedSystem = 0] = [0, 1, 11, 12, 13, 14].map(
      (n) => fields[n],
    );
    return {
      pid: Number(pid),
      parent,
      ms: (user + system) * TICK_MS,
      endedChildrenMs: (endedUser + endedSystem) * TICK_MS,
    };
  } catch (error) {
    // It has ended meanwhile.
    if (error instanceof Error && 'code' in error && ['ENOENT', 'ESRCH'].includes(String(error.code)))
      return undefined;
    throw error;
  }
}

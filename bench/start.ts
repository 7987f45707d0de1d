import { readdirSync, readFileSync } from 'node:fs';
import { residentMegabytes, startNetwork, withDataDir } from './network.js';

export interface StartBench {
  readonly secondsToReady: { readonly firstStart: number; readonly secondStart: number };
  /** At idle, right after the second start: proportional set size. */
  readonly idleMegabytes: Readonly<Record<string, number>>;
}

/** How long `npm start` takes until all of it serves, on an empty directory and on a used one; and what it then holds. */
export function benchStart(): Promise<StartBench> {
  return withDataDir(async (dataDir) => {
    const first = await startNetwork(dataDir, ['npm', 'start']);
    await first.stop();
    const second = await startNetwork(dataDir, ['npm', 'start']);
    const idleMegabytes = Object.fromEntries(
      Object.entries(second.run.pids).flatMap(([name, pid]) =>
        pid === undefined ? [] : [[name, residentMegabytes([pid, ...forksOf(pid, name)])]],
      ),
    );
    await second.stop();
    return {
      secondsToReady: { firstStart: first.secondsToReady, secondStart: second.secondsToReady },
      idleMegabytes,
    };
  });
}

/** The other processes are listed by themselves; only Postgres' own are counted with it. */
function forksOf(parent: number, name: string): number[] {
  if (name !== 'postgres') return [];
  const processes = readdirSync('/proc').filter((entry) => /^[0-9]+$/.test(entry));
  return processes.map(Number).filter((pid) => parentOf(pid) === parent);
}

function parentOf(pid: number): number | undefined {
  try {
    return Number(readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ')[1]);
  } catch {
    return undefined; // It has ended since it was listed.
  }
}

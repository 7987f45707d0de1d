import { childrenOf } from '../src/launch/processes.js';
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
        // The others are listed by themselves; only Postgres' own are counted with it.
        pid === undefined
          ? []
          : [[name, residentMegabytes([pid, ...(name === 'postgres' ? childrenOf(pid) : [])])]],
      ),
    );
    await second.stop();
    return {
      secondsToReady: { firstStart: first.secondsToReady, secondStart: second.secondsToReady },
      idleMegabytes,
    };
  });
}

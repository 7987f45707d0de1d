import { setTimeout as pause } from 'node:timers/promises';
import { newDataDir } from '../../test/support/data-dir.js';
import { Random } from '../random.js';
import type { Report } from '../report.js';
import { runOn } from '../run-on.js';
import { diskCases } from './disk-cases.js';
import type { DiskCase } from './disk-cases.js';
import { describeTimes, msUntilReady, msUntilUnready } from './readiness-times.js';

const BROKEN_MS = { least: 4_000, most: 10_000 };

export interface DiskOptions {
  readonly seed: number;
  readonly clients: number;
  readonly times: number;
  readonly named: string;
  readonly report: Report;
  readonly givenUp: AbortSignal;
}

/** Breaks the disk below each store of a network. Resolves with true if every promise was kept. */
export async function runDiskCases(options: DiskOptions): Promise<boolean> {
  const { seed, clients, report } = options;
  report.say(`seed ${seed}, ${clients} clients`, { seed, clients });
  const random = new Random(seed);
  let isWhole = true;
  for (const each of diskCases) {
    const own = random.fork();
    if (!each.name.includes(options.named)) continue;
    if (each.lacking !== undefined) report.notRun(each.name, each.lacking);
    else if (!(await runDiskCase(each, own, options))) isWhole = false;
  }
  return isWhole;
}

async function runDiskCase(
  diskCase: DiskCase,
  random: Random,
  { seed, clients, times, report, givenUp }: DiskOptions,
): Promise<boolean> {
  const { name } = diskCase;
  report.say(name);
  const dataDir = newDataDir();
  const disk = diskCase.prepare(dataDir);
  const durations = Array.from({ length: times }, () => random.between(BROKEN_MS.least, BROKEN_MS.most));
  return runOn({
    name: `chaos-disk-${seed}-${name.replaceAll(' ', '-')}`,
    dataDir,
    clients,
    random,
    report,
    givenUp,
    rounds: (network) =>
      durations.map((forMs) => ({
        fault: `broken for ${forMs} ms`,
        inflict: async () => {
          const repair = new AbortController();
          const breakAndMend = async () => {
            disk.break();
            try {
              await pause(forMs, undefined, { signal: givenUp });
            } finally {
              repair.abort();
              await disk.mend(network);
            }
            return msUntilReady(network, givenUp);
          };
          const [readyAgainMs, unreadyMs] = await Promise.all([
            breakAndMend(),
            msUntilUnready(network, repair.signal),
          ]);
          const times = { unreadyMs, readyAgainMs };
          report.say(`          ${describeTimes(times)}`, times);
        },
      })),
    onEnd: () => disk.remove(),
  });
}

import { execFile } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { operatorOf } from './operator.js';
import { rounded } from './load.js';
import { startNetwork, withDataDir } from './network.js';
import type { BenchNetwork } from './network.js';
import { live } from './recovery/live.js';
import { seed } from './recovery/seed.js';

/** The drill of docs/recovery.md: a lost log, restored from its backup and recovered. In seconds. */
export interface DrillBench {
  readonly events: number;
  readonly restrictions: number;
  readonly backup: number;
  readonly restore: number;
  /** From `npm start` until the network reports quarantine. */
  readonly quarantined: number;
  readonly apply: number;
}

const RESTRICTIONS = 20;

export function benchDrill(events = Number(process.env['BENCH_EVENTS'] ?? 30_000)): Promise<DrillBench> {
  return withDataDir((dataDir) =>
    withDataDir((elsewhere) => drill(dataDir, join(elsewhere, 'backup'), events)),
  );
}

async function drill(dataDir: string, backup: string, events: number): Promise<DrillBench> {
  let network = await startNetwork(dataDir);
  try {
    await live(network, (log) => seed(log, events));
    const backupSeconds = await timed(() => plaza(network, dataDir, 'backup', backup));
    await takeAway(network, dataDir);
    await network.stop();
    rmSync(join(dataDir, 'eventstore'), { recursive: true });
    const restore = await timed(() => plaza(undefined, dataDir, 'restore', backup, '--parts', 'log,read'));
    const quarantined = await timed(async () => {
      network = await startNetwork(dataDir);
      while (
        (await operatorOf(envOf(network, dataDir)).call('GET /operator/recovery')).state !== 'quarantined'
      );
    });
    const apply = await timed(() => plaza(network, dataDir, 'recovery', 'apply'));
    return { events, restrictions: RESTRICTIONS, backup: backupSeconds, restore, quarantined, apply };
  } finally {
    await network.stop();
  }
}

const envOf = (network: BenchNetwork | undefined, dataDir: string) => ({
  DATA_DIR: dataDir,
  ...network?.run.settings,
});

async function takeAway(network: BenchNetwork, dataDir: string): Promise<void> {
  const operator = operatorOf(envOf(network, dataDir));
  for (let n = 0; n < RESTRICTIONS; n++) {
    await operator.call('POST /operator/accounts/:id/suspend', { id: `author${n}`, reason: 'a drill' });
  }
}

async function plaza(network: BenchNetwork | undefined, dataDir: string, ...args: string[]): Promise<void> {
  const env = { ...process.env, ...envOf(network, dataDir) };
  await promisify(execFile)(process.execPath, ['bin/plaza.mjs', ...args, '--reason', 'a drill'], { env });
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const begun = performance.now();
  await work();
  return rounded((performance.now() - begun) / 1_000);
}

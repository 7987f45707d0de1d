import { operatorOf } from './operator.js';
import { load, rounded } from './load.js';
import type { Measured } from './load.js';
import { startNetwork, withDataDir } from './network.js';
import type { BenchNetwork } from './network.js';
import { newReader } from './reads/reader.js';
import { live } from './recovery/live.js';
import { seed } from './recovery/seed.js';
import { numbered, Society } from './society.js';

export interface RebuildReadsBench {
  readonly events: number;
  readonly before: Measured;
  /** During `plaza projections rebuild`: median of all turns, and the slowest p99. */
  readonly during: Measured & { readonly slowestP99Ms: number };
  readonly rebuildSeconds: number;
}

const CONNECTIONS = 4;
const TURN = 200;
const FOLLOWED = 50;

/** Effect of a rebuild on readers of a log of about `events` events. */
export function benchRebuildReads(
  events = Number(process.env['BENCH_EVENTS'] ?? 30_000),
): Promise<RebuildReadsBench> {
  return withDataDir(async (dataDir) => {
    const network = await startNetwork(dataDir, undefined, { RATE_LIMITS: 'off' });
    try {
      return { events, ...(await measure(network, dataDir, events)) };
    } finally {
      await network.stop();
    }
  });
}

async function measure(network: BenchNetwork, dataDir: string, events: number) {
  const reader = await newReader(network);
  await live(network, async (log) => {
    await seed(log, events);
    const followed = numbered('author', FOLLOWED);
    await new Society(log).follows(followed.map((targetId) => ({ actorId: reader.actorId, targetId })));
  });
  const token = await reader.token();
  await turn(network, token);
  const before = await turn(network, token, 5 * TURN);
  const operator = operatorOf({ DATA_DIR: dataDir, ...network.run.settings });
  const begun = performance.now();
  const { id } = await operator.call('POST /operator/projections/rebuild', { reason: 'a measurement' });
  const turns: Measured[] = [];
  let state: string;
  do {
    turns.push(await turn(network, token));
    ({ state } = await operator.call('GET /operator/jobs/:id', { id }));
  } while (!['published', 'failed', 'paused'].includes(state));
  if (state !== 'published') throw new Error(`the rebuild is ${state}`);
  const rebuildSeconds = rounded((performance.now() - begun) / 1_000);
  return { before, during: summary(turns), rebuildSeconds };
}

function turn({ baseUrl, run }: BenchNetwork, token: string, amount = TURN): Promise<Measured> {
  const headers = { authorization: `Bearer ${token}` };
  const first = { method: 'GET', path: '/api/timeline', headers } as const;
  const readers = Array.from({ length: CONNECTIONS }, () => ({ first }));
  return load({ url: baseUrl, pid: run.pids.api ?? 0 }, readers, amount, 200);
}

function summary(turns: readonly Measured[]): RebuildReadsBench['during'] {
  const median = (of: (turn: Measured) => number) =>
    turns.map(of).toSorted((a, b) => a - b)[Math.floor(turns.length / 2)] ?? 0;
  return {
    perSecond: median(({ perSecond }) => perSecond),
    p50Ms: median(({ p50Ms }) => p50Ms),
    p99Ms: median(({ p99Ms }) => p99Ms),
    cpuMs: median(({ cpuMs }) => cpuMs),
    slowestP99Ms: Math.max(...turns.map(({ p99Ms }) => p99Ms)),
  };
}

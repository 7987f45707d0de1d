import { resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Pool } from 'pg';
import { projectionStatus } from '../projections/projection-status.js';
import type { EventLog } from '../src/log/event-log.js';
import type { Effort } from './effort.js';
import { rounded } from './load.js';
import { startNetwork, withDataDir } from './network.js';
import type { BenchNetwork } from './network.js';
import { measure } from './scale/measure.js';
import type { Amounts, Figures } from './scale/measure.js';
import { fillDataDir, seededLog } from './scale/seeded-log.js';
import type { Extent } from './scale/society.js';
import type { MarkSeconds } from './scale/special.js';
import { withStores } from './stores-of-network.js';

type BySize<Value> = Readonly<Record<number, Value>>;

type Item = { readonly [Each in keyof Figures]: BySize<number> } & {
  /** The largest size as a multiple of the smallest. */
  readonly p50Ratio: number;
  readonly blocksRatio: number;
};

/** Until the log is written (next to none if it was kept), and until all read models are built. */
interface Seconds extends MarkSeconds {
  readonly log: number;
  readonly build: number;
}

export interface ScaleBench {
  readonly seconds: BySize<Seconds>;
  readonly items: Readonly<Record<string, Item>>;
}

const SIZES = '10000,100000,1000000';
const whole: Amounts = { cold: 20, warmUp: 100, measured: 1_000, explained: 60 };
const quickly: Amounts = { cold: 4, warmUp: 20, measured: 100, explained: 20 };
const POLL_MS = 500;

/** The same random reads and writes at several sizes of a network (`BENCH_POSTS`, `BENCH_ACTORS`). */
export async function benchScale({ quick }: Pick<Effort, 'quick'>): Promise<ScaleBench> {
  const sizes = (process.env['BENCH_POSTS'] ?? SIZES).split(',').map(Number);
  const actors = Number(process.env['BENCH_ACTORS'] ?? 10_000);
  const seconds: Record<number, Seconds> = {};
  const figures = new Map<number, Readonly<Record<string, Figures>>>();
  for (const posts of sizes) {
    console.log(`${posts} posts`);
    const measured = await measureSize({ actors, posts }, quick ? quickly : whole);
    seconds[posts] = measured.seconds;
    figures.set(posts, measured.figures);
  }
  const items = itemsOf(figures);
  console.table(Object.fromEntries(Object.entries(items).map(([name, item]) => [name, cellsOf(item)])));
  console.table(seconds);
  return { seconds, items };
}

/** A figure has one column, with its value at each size. */
const cellsOf = (item: Item) =>
  Object.fromEntries(
    Object.entries(item).map(([figure, value]: [string, number | BySize<number>]) => [
      figure,
      typeof value === 'number' ? value : Object.values(value).join(' → '),
    ]),
  );

function itemsOf(sizes: ReadonlyMap<number, Readonly<Record<string, Figures>>>): ScaleBench['items'] {
  const all = [...sizes.values()];
  const item = (name: string): Item => {
    const [smallest, largest] = [all[0]?.[name], all.at(-1)?.[name]];
    const names = Object.keys(smallest ?? {}) as (keyof Figures)[];
    const bySize = (figure: keyof Figures) =>
      Object.fromEntries([...sizes].map(([posts, figures]) => [posts, figures[name]?.[figure]]));
    const ratio = (figure: 'p50Ms' | 'blocks') =>
      rounded((largest?.[figure] ?? 0) / (smallest?.[figure] ?? 0));
    return {
      ...Object.fromEntries(names.map((figure) => [figure, bySize(figure)])),
      p50Ratio: ratio('p50Ms'),
      blocksRatio: ratio('blocks'),
    } as Item;
  };
  return Object.fromEntries(Object.keys(all[0] ?? {}).map((name) => [name, item(name)]));
}

async function measureSize(extent: Extent, amounts: Amounts) {
  const dir = resolve(process.env['BENCH_SCALE_DIR'] ?? 'artifacts/scale');
  const [log, logSeconds] = await timed(() => seededLog(dir, extent));
  return withDataDir(async (dataDir) => {
    await fillDataDir(dataDir, log, extent);
    const [, build] = await timed(() => onNetwork(dataDir, (network) => withStores(network, untilBuilt)));
    const { figures, mark } = await onNetwork(dataDir, (network) =>
      withStores(network, (_, pool) => measure(network, pool, { extent, amounts })),
    );
    return { seconds: { log: logSeconds, build, ...mark }, figures };
  });
}

async function timed<Result>(work: () => Promise<Result>): Promise<[Result, number]> {
  const begun = performance.now();
  const result = await work();
  return [result, rounded((performance.now() - begun) / 1_000)];
}

async function onNetwork<Result>(dataDir: string, use: (network: BenchNetwork) => Promise<Result>) {
  const network = await startNetwork(dataDir, undefined, { RATE_LIMITS: 'off' });
  try {
    return await use(network);
  } finally {
    await network.stop();
  }
}

/** Resolves when every group has applied the whole log. */
async function untilBuilt(log: EventLog, pool: Pool): Promise<void> {
  for (;;) {
    const { projections } = await projectionStatus(pool, log);
    const stopped = projections.find((each) => each.stopped);
    if (stopped) throw new Error(`${stopped.name} stopped: ${stopped.stopped?.reason}`);
    if (projections.every(({ lag }) => lag === 0)) break;
    await pause(POLL_MS);
  }
  // gives the planner the statistics of a network that has run for a while
  await pool.query('VACUUM ANALYZE');
}
